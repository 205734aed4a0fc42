package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendStatus;
import dev.vt.api.spi.OpProvider;
import dev.vt.ops.OpTable;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;

/** All bundles together. */
class SmokeIT extends InFramework {
    private static final Set<String> VECTOR_FEATURES = Set.of("avx2", "avx512f", "neon");

    private boolean hasVectors() {
        return cpu().featureNames().stream().anyMatch(VECTOR_FEATURES::contains);
    }

    @Test
    @DisplayName("O1.13 every bundle resolves and starts")
    void allActive() {
        List<String> not = Arrays.stream(context.getBundles())
                .filter(b -> b.getState() != Bundle.ACTIVE)
                .map(b -> b + " is in state " + b.getState())
                .toList();
        assertEquals(List.of(), not);
        List<String> names =
                List.of("api", "ops", "registry", "backend.cpu", "provider.vector", "model", "shell", "deploy");
        for (String name : names) {
            assertEquals(Bundle.ACTIVE, bundle("dev.vt." + name).getState(), name);
        }
    }

    @Test
    @DisplayName("B9 the CPU is a device that is present")
    void device() {
        assertEquals(List.of(new BackendStatus(CPU, BackendStatus.State.PRESENT, "cpu", "")), backends.statuses());
        assertEquals(CPU, backends.parse("cpu"));
    }

    @Test
    @DisplayName("S1 vector is selected for matmul_bt on a processor with vectors, vt-native below it")
    void selection() {
        assertEquals(List.of("vector", OpProvider.NATIVE), chain());
        assertEquals(hasVectors() ? "vector" : OpProvider.NATIVE, selected());
        Selection.Link vector = link("vector");
        assertEquals(
                hasVectors() ? Selection.State.SELECTED : Selection.State.REFUSED, vector.state(), vector.reason());
        assertEquals("dev.vt.provider.vector", vector.bundle());
        Selection.Link below = link(OpProvider.NATIVE);
        assertEquals(hasVectors() ? Selection.State.BELOW : Selection.State.SELECTED, below.state());
        assertEquals("dev.vt.backend.cpu", below.bundle());
        assertEquals(hasVectors() ? "below vector" : "highest of those eligible", below.reason());
    }

    @Test
    @DisplayName("S1 vt-native has a kernel for every op of the table")
    void every() {
        assertEquals(OpTable.all().stream().sorted().toList(), registry.ops());
        OpTable.all().forEach(op -> assertTrue(registry.registered(op, CPU), op.name()));
    }

    @Test
    @DisplayName("S12 a call through the entry point gives the right result, on every provider")
    void results() {
        assertEquals(Caller.RIGHT, call());
        registry.disable("vector");
        assertEquals(OpProvider.NATIVE, selected());
        assertEquals(Caller.RIGHT, call());
    }
}
