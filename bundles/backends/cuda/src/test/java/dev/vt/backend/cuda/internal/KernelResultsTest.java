package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.op.Op;
import dev.vt.api.spi.KernelSet;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The sources of all kernels, compiled for the host and run thread by thread, against the conformance kit: indexes, tails, types,
 * NaN, faults and graphs are those of the device; rounding and speed are not looked at here.
 */
class KernelResultsTest extends OnFakeDevice {
    private static final KernelSet KERNELS = new CudaNativeProvider().kernels();

    @Override
    Path kernels() {
        return FakeDriver.hostKernels();
    }

    static Set<Op<?>> ops() {
        return KERNELS.asMap().keySet();
    }

    @ParameterizedTest
    @MethodSource("ops")
    @DisplayName("S12 S13 O4.10 O4.11 O4.13 each kernel computes what its op says, or declines before it writes")
    void conforms(Op<?> op) {
        driver.emulateKernels();
        try (Subject subject = Subject.of(KERNELS, op).orElseThrow()) {
            OpResult result =
                    new Conformance(Level.QUICK).run(Conformance.spec(op).orElseThrow(), subject, cuda);
            assertEquals(List.of(), result.failures(), op.name());
            assertTrue(result.served() > 0, result.toString());
        }
    }
}
