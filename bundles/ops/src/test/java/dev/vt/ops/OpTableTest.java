package dev.vt.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The op table")
class OpTableTest {
    private static final List<String> NAMES =
            OpTable.all().stream().map(Op::name).toList();

    /** The search is tested with these, so that a new op changes no expectation. */
    private static final List<String> SOME_NAMES = List.of(
            "matmul",
            "rms_norm",
            "rope_neox",
            "paged_attention",
            "greedy_argmax",
            "rope_cos_sin_cache",
            "rope_from_cache",
            "relu",
            "gelu_and_mul");

    @Test
    @DisplayName("Ids and names are unique, and the table is in the order of the ids")
    void unique() {
        List<Integer> ids = OpTable.all().stream().map(Op::id).toList();
        assertEquals(ids.stream().sorted().distinct().toList(), ids);
        assertEquals(NAMES.size(), NAMES.stream().distinct().count());
    }

    @Test
    @DisplayName("Every op is found by name and has a method in Ops of its name in camel case")
    void entryPoints() {
        List<String> methods = Arrays.stream(Ops.class.getDeclaredMethods())
                .filter(m -> Modifier.isPublic(m.getModifiers()) && m.getReturnType() == void.class)
                .map(Method::getName)
                .distinct()
                .sorted()
                .toList();
        assertEquals(NAMES.stream().map(OpTableTest::camel).sorted().toList(), methods);
        OpTable.all().forEach(op -> assertSame(op, OpTable.get(op.name())));
    }

    private static String camel(String name) {
        StringBuilder s = new StringBuilder();
        for (String word : name.split("_")) {
            s.append(s.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return s.toString();
    }

    @Test
    @DisplayName("A kernel interface has one abstract method that takes the queue first")
    void kernelInterfaces() {
        for (Op<?> op : OpTable.all()) {
            List<Method> methods = Arrays.stream(op.kernelType().getMethods())
                    .filter(m -> Modifier.isAbstract(m.getModifiers()))
                    .toList();
            assertEquals(1, methods.size(), op.name());
            assertEquals("run", methods.getFirst().getName());
            assertEquals(dev.vt.api.device.Queue.class, methods.getFirst().getParameterTypes()[0]);
        }
    }

    @Test
    @DisplayName("An unknown name lists the near ones")
    void unknownName() {
        VtException e = assertThrows(VtException.class, () -> OpTable.get("matmull"));
        assertEquals(ErrorCode.NOT_FOUND, e.code());
        assertTrue(e.getMessage().startsWith("no op is named 'matmull'; near names: matmul, "), e.getMessage());
        e = assertThrows(VtException.class, () -> OpTable.get("zzzzzz"));
        assertEquals("no op is named 'zzzzzz'", e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "RmsNorm, rms_norm",
        "paged-attention, paged_attention",
        "rmsnrom, rms_norm",
        "rope, rope_neox|rope_from_cache|rope_cos_sin_cache",
        "gelu, relu|gelu_and_mul",
        "argmax, greedy_argmax"
    })
    @DisplayName("Near names: other spellings, swapped letters, beginnings, parts")
    void near(String given, String expected) {
        assertEquals(List.of(expected.split("\\|")), NearNames.near(given, SOME_NAMES));
    }

    @Test
    @DisplayName("Near names: nothing for an empty text, five at most, none twice")
    void limits() {
        assertEquals(List.of(), NearNames.near("", NAMES));
        assertEquals(
                5,
                NearNames.near("app", List.of("app1", "app2", "app3", "app4", "app5", "app6", "app1"))
                        .size());
        assertEquals("", NearNames.hint("qqq", NAMES));
    }
}
