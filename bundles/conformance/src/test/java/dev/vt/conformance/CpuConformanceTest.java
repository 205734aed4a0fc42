package dev.vt.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Backend;
import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.conformance.spec.Level;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.provider.vector.internal.VectorProvider;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The CPU's kernels and the vector provider's, whole. */
class CpuConformanceTest {
    private static final Backend CPU = new CpuBackend();

    static Stream<Arguments> kernels() {
        List<OpProvider> providers = List.of(new CpuNativeProvider(), new VectorProvider());
        return providers.stream()
                .flatMap(p -> Conformance.specs().stream()
                        .filter(s -> p.kernels().asMap().containsKey(s.op()))
                        .map(s -> Arguments.of(p.name(), s.op().name(), p, s)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("kernels")
    @DisplayName("O4.10, O4.11, O4.12, O4.13: every case of the full level")
    void conforms(String provider, String op, OpProvider from, OpSpec spec) {
        try (Subject subject = Subject.of(from.kernels(), spec.op()).orElseThrow()) {
            OpResult result = new Conformance(Level.FULL).run(spec, subject, CPU);
            assertEquals(List.of(), result.failures(), provider + " " + op);
            assertTrue(result.served() > 0, () -> "served nothing: " + result);
            System.out.println(provider + " " + result);
        }
    }
}
