package dev.vt.provider.cublaslt.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.op.Op;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.Level;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernels over a library that computes what its layouts say: sizes, strides, types and graphs; rounding is a device's. */
class ConformanceTest extends OnFakeCuda {
    static Set<Op<?>> ops() {
        try (CublasLtProvider provider = new CublasLtProvider()) {
            return provider.kernels().asMap().keySet();
        }
    }

    @ParameterizedTest
    @MethodSource("ops")
    @DisplayName("S12 S13 each product is what its op says, graphs too, or is declined before anything is written")
    void conforms(Op<?> op) {
        try (Subject subject = Subject.of(provider.kernels(), op).orElseThrow()) {
            OpResult result =
                    new Conformance(Level.FULL).run(Conformance.spec(op).orElseThrow(), subject, cuda);
            assertEquals(List.of(), result.failures(), op.name());
            Map<String, Long> declines = result.declines();
            long known = declines.getOrDefault(Declines.NOTHING_TO_ADD.reason(), 0L)
                    + declines.getOrDefault(Declines.MISALIGNED_FP8.reason(), 0L);
            assertEquals(result.cases(), result.served() + known, result.toString());
            assertTrue(fake.products() > result.served(), "each case is computed several times");
        }
    }
}
