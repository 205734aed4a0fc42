package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Policy;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import dev.vt.ops.OpTable;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.ProviderBundle;
import dev.vt.testkit.ProviderBundle.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.Bundle;

/** One broken provider among four good ones, as bundles. */
class FaultyProvidersIT extends InFramework {
    static Stream<Arguments> faults() {
        List<Class<? extends Throwable>> types =
                List.of(IllegalStateException.class, LinkageError.class, StackOverflowError.class);
        // Places by name: arguments come from outside, where the test kit's classes are others.
        return Stream.of("CONSTRUCTOR", "NAME", "PRIORITY", "SUPPORTS", "KERNELS")
                .flatMap(place -> types.stream().map(type -> Arguments.of(place, type)));
    }

    @ParameterizedTest(
            name = "O1.11 S4 S10 {0} throws {1}: that provider is set aside with the reason, the other four work")
    @MethodSource("faults")
    void oneOfFive(String where, Class<? extends Throwable> type) throws Exception {
        Place place = Place.valueOf(where);
        ProviderBundle.Builder broken = provider("t-3", 53, 3).throwing(place, type, "broken on purpose");
        // With the property the registry has no reason to ask priority().
        ProviderBundle faulty = (place == Place.PRIORITY ? broken.withoutProviderProperties() : broken).build();
        List<Bundle> bundles = new ArrayList<>();
        for (ProviderBundle b : List.of(good(1), good(2), faulty, good(4), good(5))) {
            bundles.add(install(b));
        }
        assertEquals(
                List.of("t-5", "t-4", "t-2", "t-1"),
                chain("t-").stream().filter(n -> !n.equals("t-3")).toList());
        for (String name : List.of("t-1", "t-2", "t-4", "t-5")) {
            assertTrue(
                    Set.of(Selection.State.SELECTED, Selection.State.BELOW)
                            .contains(link(name).state()),
                    name);
        }
        assertEquals(5f, call());
        ProviderStatus status = registry.providers().stream()
                .filter(p -> p.bundle().equals("test.provider.t-3"))
                .findFirst()
                .orElseThrow();
        assertEquals(
                place == Place.SUPPORTS ? Selection.State.REFUSED : Selection.State.REJECTED,
                status.state(),
                status.reason());
        assertTrue(status.reason().contains("failed: "), status.reason());
        if (place != Place.CONSTRUCTOR) {
            assertTrue(status.reason().contains(type.getSimpleName()), status.reason());
            assertTrue(status.reason().contains("broken on purpose"), status.reason());
        }
        bundles.get(4).stop();
        bundles.get(3).stop();
        assertEquals(2f, call());
    }

    private static ProviderBundle good(int number) {
        return Good.BUNDLES.get(number - 1);
    }

    /** Compiled once for all rows. */
    private static final class Good {
        static final List<ProviderBundle> BUNDLES = Stream.of(1, 2, 3, 4, 5)
                .map(i -> provider("t-" + i, 50 + i, i).build())
                .toList();
    }

    @Test
    @DisplayName("S10 a provider with a bad name is rejected with the rule")
    void badName() throws Exception {
        install(bare("T Bad!")
                .kernel(OpTable.MATMUL_BT, KernelBehaviour.constant(1))
                .priority(90)
                .build());
        ProviderStatus status = status("T Bad!");
        assertEquals(Selection.State.REJECTED, status.state());
        assertTrue(status.reason().contains("[a-z0-9.-]"), status.reason());
    }

    @Test
    @DisplayName("S7 when every provider is out the error names each of them and why")
    void nothingEligible() throws Exception {
        install(provider("t-picky", 90, 1).supports("false", "another machine").build());
        registry.disable("vector");
        registry.policy(CPU, new Policy(Policy.Fallback.ALLOW, Set.of(), Set.of("vt-native")));
        String message = assertThrows(NoKernelException.class, this::call).getMessage();
        for (String part : List.of(
                "matmul_bt", "cpu:0", "t-picky", "another machine", "vector", "disabled", "vt-native", "deny list")) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    @DisplayName("S13 O3.14 a kernel that throws is an error to the caller; one that declines gives way to the next")
    void throwingKernels() throws Exception {
        Bundle thrower = install(bare("t-throws")
                .priority(90)
                .kernel(OpTable.MATMUL_BT, KernelBehaviour.throwing(IllegalStateException.class, "broken kernel"))
                .build());
        assertTrue(assertThrows(RuntimeException.class, this::call).getMessage().contains("broken kernel"));
        thrower.stop();
        install(bare("t-declines")
                .priority(80)
                .kernel(OpTable.MATMUL_BT, KernelBehaviour.declines("not today"))
                .build());
        install(provider("t-next", 70, 7).build());
        assertEquals(7f, call());
        assertEquals(7f, call());
        assertEquals(Map.of("not today", 2L), link("t-declines").declines());
    }
}
