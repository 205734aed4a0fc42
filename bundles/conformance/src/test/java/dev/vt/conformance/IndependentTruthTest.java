package dev.vt.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.vt.api.device.Backend;
import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.TestCase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit's references and the CPU's kernels give the values that were computed outside of Java. */
class IndependentTruthTest {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();
    private static final Backend CPU = new CpuBackend();

    /** Both sides are in double; sums of some tens of terms. */
    private static final double DOUBLE = 1e-10;

    /** The CPU works in f32 at worst. */
    private static final double SINGLE = 1e-5;

    static Stream<OpSpec> specs() {
        return Conformance.specs().stream().filter(s -> resource(s) != null);
    }

    private static @Nullable InputStream resource(OpSpec spec) {
        return IndependentTruthTest.class.getResourceAsStream(
                "/truth/" + spec.op().name() + ".json");
    }

    @Test
    @DisplayName("there are values for every op of the table but the one that tests adapters")
    void complete() {
        List<String> without = Conformance.specs().stream()
                .map(s -> s.op().name())
                .filter(n -> specs().noneMatch(s -> s.op().name().equals(n)))
                .toList();
        assertEquals(List.of("dropin_probe"), without);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("specs")
    @DisplayName("references and kernels give the values from elsewhere")
    void values(OpSpec spec) throws IOException {
        JsonNode file = JSON.readTree(resource(spec));
        List<CasePlan> plans = TruthCases.of(spec);
        assertEquals(plans.size(), file.size(), "cases of " + spec.op() + "; make the values anew");
        for (int i = 0; i < plans.size(); i++) {
            ObjectNode stored = (ObjectNode) file.get(i);
            JsonNode expected = stored.remove("expected");
            assertEquals(
                    JSON.readTree(TruthInputs.described(spec, plans.get(i)).toString()),
                    stored,
                    "operands of " + spec.op() + "; make the values anew");
            check(spec.make(plans.get(i)), expected);
        }
    }

    private static void check(TestCase c, JsonNode expected) {
        List<byte[]> served = served(c);
        int written = 0;
        for (int i = 0; i < c.operands().size(); i++) {
            Operand o = c.operands().get(i);
            Supplier<Expected> reference = o.expected();
            if (reference == null) {
                continue;
            }
            written++;
            JsonNode values = expected.get(o.name());
            assertNotNull(values, c + " has no value for " + o);
            reference(c, o, reference.get(), values);
            kernel(c, o, served.get(i), values);
        }
        assertEquals(
                written,
                expected.size(),
                c + " has values for " + expected.propertyStream().toList());
    }

    /** What the CPU's kernel makes of the case. */
    private static List<byte[]> served(TestCase c) {
        List<byte[]> out = new ArrayList<>();
        try (Subject subject =
                        Subject.of(new CpuNativeProvider().kernels(), c.op()).orElseThrow();
                DeviceCase device = new DeviceCase(c, CPU)) {
            device.call(subject);
            device.synchronize();
            assertTrue(subject.outcome().served(), c + " was declined");
            List<byte[]> images = device.images();
            for (int i = 0; i < images.size(); i++) {
                out.add(device.placement(i).take(images.get(i)));
            }
        }
        return out;
    }

    /** A reference has the same doubles, or judges the values to be right. */
    private static void reference(TestCase c, Operand o, Expected reference, JsonNode values) {
        double[] given = reference.values();
        if (given == null) {
            byte[] bytes = bytes(o.dtype(), values);
            assertEquals(
                    null, reference.compare(o.dtype(), bytes, o.shape()).fault(), c + " " + o + " by the reference");
            return;
        }
        assertEquals(values.size(), given.length, c + " " + o);
        for (int i = 0; i < given.length; i++) {
            if (!values.get(i).isNull()) {
                double bound = DOUBLE * Math.max(1, Math.abs(given[i]));
                near(values.get(i).asDouble(), given[i], bound, c + " " + o + " element " + i + " of the reference");
            }
        }
    }

    private static void kernel(TestCase c, Operand o, byte[] bytes, JsonNode values) {
        if (!o.dtype().isFloat()) {
            long[] given = Floats.integers(o.dtype(), bytes);
            for (int i = 0; i < given.length; i++) {
                assertEquals(values.get(i).asLong(), given[i], c + " " + o + " element " + i + " by the kernel");
            }
            return;
        }
        double[] given = Floats.decode(o.dtype(), bytes);
        for (int i = 0; i < given.length; i++) {
            if (!values.get(i).isNull()) {
                double wanted = values.get(i).asDouble();
                double bound = Floats.ulp(o.dtype(), wanted) / 2 + SINGLE * Math.max(1, Math.abs(wanted));
                near(wanted, given[i], bound, c + " " + o + " element " + i + " by the kernel");
            }
        }
    }

    private static void near(double wanted, double given, double bound, String what) {
        boolean same = Double.compare(wanted, given) == 0 || Math.abs(given - wanted) <= bound;
        assertTrue(same, () -> what + ": expected " + wanted + ", got " + given);
    }

    private static byte[] bytes(DType dtype, JsonNode values) {
        ByteBuffer out =
                ByteBuffer.allocate(values.size() * dtype.elementBytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (JsonNode v : values) {
            switch (dtype) {
                case I8 -> out.put((byte) v.asLong());
                case I32 -> out.putInt((int) v.asLong());
                case I64 -> out.putLong(v.asLong());
                default -> out.put(Floats.encode(dtype, new double[] {v.asDouble()}));
            }
        }
        return out.array();
    }
}
