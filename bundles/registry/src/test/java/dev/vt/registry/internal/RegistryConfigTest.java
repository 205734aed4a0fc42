package dev.vt.registry.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.op.Policy;
import dev.vt.api.spi.AdmissionTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Configuration and environment. */
class RegistryConfigTest {
    @Test
    @DisplayName("S24 policies for all devices and for one; keys of frameworks are left out")
    void read() {
        RegistryConfig c = RegistryConfig.of(Map.of(
                "service.pid", "dev.vt.registry",
                "felix.fileinstall.filename", "x",
                "fallback", "reference-off",
                "deny", "a, b,,",
                "cuda:0.fallback", "strict",
                "cuda:0.allow", new String[] {"cublaslt"},
                "disabled", List.of("mlx")));
        assertEquals(new Policy(Policy.Fallback.REFERENCE_OFF, Set.of(), Set.of("a", "b")), c.others());
        assertEquals(
                Map.of("cuda:0", new Policy(Policy.Fallback.STRICT, Set.of("cublaslt"), Set.of("a", "b"))), c.named());
        assertEquals(Set.of("mlx"), c.disabled());
        assertEquals(Policy.DEFAULT, RegistryConfig.of(Map.of()).others());
    }

    @Test
    @DisplayName(
            "D4 admission is off, quick or full, with a limit in seconds; what is not given comes from the defaults")
    void admission() {
        assertEquals(AdmissionSettings.OFF, RegistryConfig.of(Map.of()).admission());
        assertEquals(
                AdmissionSettings.QUICK,
                RegistryConfig.of(Map.of(), AdmissionSettings.QUICK).admission());
        assertEquals(
                AdmissionSettings.OFF,
                RegistryConfig.of(Map.of("admission", "off"), AdmissionSettings.QUICK)
                        .admission());
        AdmissionSettings full = RegistryConfig.of(Map.of("admission", " Full", "admission.limit", "90"))
                .admission();
        assertEquals(Optional.of(AdmissionTest.Level.FULL), full.level());
        assertEquals(Duration.ofSeconds(90), full.limit());
    }

    static Stream<Map<String, Object>> bad() {
        return Stream.of(
                Map.of("fallback", "maybe"),
                Map.of("fallbak", "allow"),
                Map.of("admission", "ful"),
                Map.of("cpu:0.admission", "quick"),
                Map.of("admission.limit", "soon"),
                Map.of("admission.limit", 0),
                Map.of("admission.limit", -3),
                Map.of("allow", 7),
                Map.of("deny", "Not Good"),
                Map.of("cuda.fallback", "allow"),
                Map.of("cuda:0.speed", "high"));
    }

    @ParameterizedTest
    @MethodSource("bad")
    @DisplayName("S24 a knob that can't be honoured is an error that names it")
    void refused(Map<String, Object> properties) {
        VtException e = assertThrows(VtException.class, () -> RegistryConfig.of(properties));
        assertEquals(ErrorCode.CONFIGURATION, e.code());
        assertTrue(e.getMessage().contains(properties.keySet().iterator().next()), e.getMessage());
    }

    @Test
    @DisplayName("S20 the environment's list: blanks trimmed, empty items skipped, no limit")
    void environment() {
        Settings s = Settings.of(Map.of("VT_OP_PROVIDER_DISABLE", " a , ,b,,", "VT_OP_PROVIDER_STATS", "1"));
        assertEquals(Set.of("a", "b"), s.disabled());
        assertTrue(s.stats());
        assertEquals(Settings.none(), Settings.of(Map.of("VT_OP_PROVIDER_TRACE", " ")));
        String many = String.join(
                ",",
                java.util.stream.IntStream.range(0, 5000).mapToObj(i -> "p" + i).toList());
        assertEquals(
                5000,
                Settings.of(Map.of("VT_OP_PROVIDER_DISABLE", many)).disabled().size());
    }
}
