package dev.vt.conformance.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.AdmissionTest.Level;
import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.ops.OpTable;
import dev.vt.provider.vector.internal.VectorProvider;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The kit as the test that providers pass or fail when they arrive. */
class KitAdmissionTest {
    private static CpuBackend cpu;
    private final KitAdmission kit = new KitAdmission();

    @BeforeAll
    static void open() {
        cpu = new CpuBackend();
    }

    @AfterAll
    static void close() {
        cpu.close();
    }

    @Test
    @DisplayName("D4 the vector provider's kernels pass")
    void passes() {
        assertEquals(Map.of(), kit.failures(cpu, "vector", new VectorProvider().kernels(), Level.QUICK));
    }

    @Test
    @DisplayName(
            "D4 a kernel that answers wrongly, one that throws and one that can't be linked fail by op, shape, expected"
                    + " and given; the right one beside them passes")
    void wrong() {
        KernelSet right = new CpuNativeProvider().kernels();
        KernelSet kernels = KernelSet.builder()
                .put(OpTable.MATMUL, right.get(OpTable.MATMUL))
                .put(OpTable.MATMUL_BT, (queue, out, a, b) -> Outcome.SERVED)
                .put(OpTable.RMS_NORM, (queue, out, x, weight, residual, eps, gemma) -> {
                    throw new NoClassDefFoundError("org/example/Gone");
                })
                .build();
        Map<Op<?>, String> failures = kit.failures(cpu, "wrong", kernels, Level.QUICK);
        assertEquals(Set.of(OpTable.MATMUL_BT, OpTable.RMS_NORM), failures.keySet());
        String sentence = failures.get(OpTable.MATMUL_BT);
        assertTrue(sentence.startsWith("matmul_bt ") && sentence.contains("was not written"), sentence);
        assertTrue(sentence.endsWith(" calls)"), sentence);
        assertEquals(
                "rms_norm: threw java.lang.NoClassDefFoundError: org/example/Gone", failures.get(OpTable.RMS_NORM));
    }

    @Test
    @DisplayName("D4 an interrupted test ends")
    void interrupted() {
        Thread.currentThread().interrupt();
        assertThrows(
                CancellationException.class,
                () -> kit.failures(cpu, "vector", new VectorProvider().kernels(), Level.FULL));
    }
}
