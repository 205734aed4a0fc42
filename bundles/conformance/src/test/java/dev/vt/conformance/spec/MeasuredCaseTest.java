package dev.vt.conformance.spec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.DeviceCase;
import dev.vt.conformance.Subject;
import dev.vt.ops.OpTable;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Cases that are made for benchmarks alone. */
class MeasuredCaseTest {
    @Test
    @DisplayName("paged_attention is measured with requests of one length, and gives numbers")
    void decode() {
        TestCase decode =
                Conformance.spec(OpTable.PAGED_ATTENTION).orElseThrow().sized("6x70x4x2x32x16", DType.F32);
        long[] lengths = decode.operands().stream()
                .filter(o -> o.name().equals("seqLens"))
                .findFirst()
                .orElseThrow()
                .integers();
        assertArrayEquals(new long[] {70, 70, 70, 70, 70, 70}, lengths);
        assertEquals(4.0 * 6 * 70 * 4 * 32, decode.flops());
        try (CpuBackend cpu = new CpuBackend();
                DeviceCase placed = new DeviceCase(decode, cpu);
                Subject kernel = Subject.of(new CpuNativeProvider().kernels(), OpTable.PAGED_ATTENTION)
                        .orElseThrow()) {
            placed.call(kernel);
            placed.synchronize();
            assertTrue(kernel.outcome().served());
            byte[] out = placed.images().getFirst();
            double[] values = Floats.decode(DType.F32, Arrays.copyOfRange(out, 128, 128 + 4 * 6 * 4 * 32));
            assertFalse(Arrays.stream(values).anyMatch(Double::isNaN));
        }
    }

    @Test
    @DisplayName("values that repeat are normal ones, the same for the same case, and come again after a while")
    void repeating() {
        OpSpec spec = OpSpec.of(OpTable.RELU, "N").quick("9").makes(d -> {});
        Draft draft = new Draft(spec, spec.plans(Level.QUICK).getFirst());
        double[] values = draft.repeating("x", DType.BF16, 3, 65521).values();
        assertArrayEquals(Arrays.copyOf(values, 65521), Arrays.copyOfRange(values, 65521, 2 * 65521));
        assertEquals(0, Arrays.stream(values, 0, 65521).average().orElseThrow(), 0.03);
        assertEquals(
                1, Arrays.stream(values, 0, 65521).map(v -> v * v).average().orElseThrow(), 0.03);
    }
}
