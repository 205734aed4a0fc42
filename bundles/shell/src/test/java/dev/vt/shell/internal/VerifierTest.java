package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class VerifierTest {
    private static final Unary RIGHT =
            Objects.requireNonNull(new CpuNativeProvider().kernels().get(OpTable.RELU));

    private static VerifyCommands commands(TestShell shell) {
        return new VerifyCommands(shell.registry(), shell.backends());
    }

    @Test
    @DisplayName("D4 vt:verify: keys; a kernel that is right passes every case")
    void right() {
        try (TestShell shell = new TestShell(RIGHT)) {
            Map<String, Object> all = JsonReader.object(shell.run(commands(shell), "verify", "guest", "--json"));
            for (String key : List.of("device", "provider", "cases", "failures", "declines", "worst", "seconds")) {
                assertTrue(all.containsKey(key), key);
            }
            assertEquals("guest", all.get("provider"));
            assertEquals(6.0, all.get("cases"));
            assertEquals(List.of(), all.get("failures"));
            assertEquals(Map.of("f32", 0.0, "bf16", 0.0), all.get("worst"));
        }
    }

    @Test
    @DisplayName("D4 vt:verify: a kernel that is wrong in one element fails, after its report is printed")
    void wrong() {
        Unary wrong = (queue, out, x) -> {
            Outcome outcome = RIGHT.run(queue, out, x);
            queue.synchronize();
            out.segment().set(ValueLayout.JAVA_BYTE, out.byteSpan() - 1, (byte) 0x41);
            return outcome;
        };
        try (TestShell shell = new TestShell(wrong)) {
            VtException e = assertThrows(
                    VtException.class, () -> shell.run(commands(shell), "verify", "guest", "relu", "--json"));
            assertEquals("vt:verify: 6 of 6 cases failed", e.getMessage());
            Map<?, ?> first = (Map<?, ?>)
                    ((List<?>) JsonReader.object(shell.printed().strip()).get("failures")).getFirst();
            assertEquals("relu", first.get("op"));
            assertTrue(
                    first.containsKey("sizes") && first.containsKey("dtype") && first.containsKey("error"),
                    first.toString());
        }
    }

    @Test
    @DisplayName("S13 vt:verify: declines are counted by reason; one after a write is a failure")
    void declines() {
        try (TestShell shell = new TestShell()) {
            Map<String, Object> all = JsonReader.object(shell.run(commands(shell), "verify", "guest", "--json"));
            assertEquals(Map.of("relu: the guest is tired", 6.0), all.get("declines"));
            assertEquals(List.of(), all.get("failures"));
        }
        Unary writes = (queue, out, x) -> {
            out.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            return TestShell.DECLINE;
        };
        try (TestShell shell = new TestShell(writes)) {
            assertThrows(VtException.class, () -> shell.run(commands(shell), "verify", "guest"));
            assertTrue(shell.printed().contains("declined after it had written operand 0"), shell.printed());
        }
    }

    @Test
    @DisplayName("D4 vt:verify: a kernel that throws or that writes to an input fails, and the others go on")
    void broken() {
        Unary broken = (queue, out, x) -> {
            if (x.dtype() == DType.F32) {
                throw new IllegalStateException("broken");
            }
            Outcome outcome = RIGHT.run(queue, out, x);
            queue.synchronize();
            x.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 0x11);
            return outcome;
        };
        try (TestShell shell = new TestShell(broken)) {
            assertThrows(VtException.class, () -> shell.run(commands(shell), "verify"));
            assertTrue(shell.printed().contains("broken"), shell.printed());
            assertTrue(shell.printed().contains("operand 1 is an input and was written"), shell.printed());
        }
    }

    @Test
    @DisplayName("D4 vt:verify: the CPU's own kernels serve every case of every op of the catalogue")
    void everyOp() {
        KernelCases cases = new KernelCases();
        for (Op<?> op : OpTable.all()) {
            assertFalse(cases.of(op).isEmpty(), op.name());
        }
        try (TestShell shell = new TestShell(RIGHT)) {
            Map<String, Object> all = JsonReader.object(shell.run(commands(shell), "verify", "vt-native", "--json"));
            assertEquals(Map.of(), all.get("declines"));
            assertEquals(
                    (double) OpTable.all().stream()
                            .mapToInt(op -> cases.of(op).size())
                            .sum(),
                    all.get("cases"));
            assertEquals(List.of(), ((Map<?, ?>) ((List<?>) all.get("results")).getFirst()).get("skipped"));
        }
    }

    @Test
    @DisplayName("D4 vt:verify: a provider that can't run is an error that says why")
    void notEligible() {
        try (TestShell shell = new TestShell(RIGHT)) {
            shell.registry().disable("guest");
            VtException e = assertThrows(VtException.class, () -> shell.run(commands(shell), "verify", "guest"));
            assertTrue(e.getMessage().startsWith("vt:verify: guest on cpu:0 is disabled"), e.getMessage());
        }
    }

    @Test
    @DisplayName("D4 an error is the distance over the expected size; NaN and infinities must be where they belong")
    void difference() {
        byte[] a = CaseData.floats(DType.F32, i -> 1 + i, 4);
        byte[] b = CaseData.floats(DType.F32, i -> i == 3 ? 4.4 : 1 + i, 4);
        assertEquals(0.1, Difference.of(DType.F32, b, a), 1e-6);
        assertEquals(0, Difference.of(DType.F32, a, a));
        byte[] nan = CaseData.floats(DType.F32, i -> i == 0 ? Double.NaN : 1 + i, 4);
        assertEquals(Double.POSITIVE_INFINITY, Difference.of(DType.F32, nan, a));
        assertEquals(0, Difference.of(DType.F32, nan, nan));
        assertEquals(
                Double.POSITIVE_INFINITY, Difference.of(DType.I64, new byte[8], new byte[] {1, 0, 0, 0, 0, 0, 0, 0}));
    }
}
