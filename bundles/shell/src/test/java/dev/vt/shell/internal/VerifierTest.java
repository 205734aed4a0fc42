package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Outcome;
import dev.vt.api.op.Selection;
import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.spec.Level;
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
    private static final double RELU_CASES =
            Conformance.spec(OpTable.RELU).orElseThrow().plans(Level.QUICK).size();

    private static VerifyCommands commands(TestShell shell) {
        return new VerifyCommands(shell.registry(), shell.backends());
    }

    @Test
    @DisplayName("D4 vt:verify: keys; a kernel that is right passes every case, quick and full")
    void right() {
        try (TestShell shell = new TestShell(RIGHT)) {
            Map<String, Object> all = JsonReader.object(shell.run(commands(shell), "verify", "guest", "--json"));
            for (String key : List.of("device", "provider", "cases", "failures", "declines", "worst", "seconds")) {
                assertTrue(all.containsKey(key), key);
            }
            assertEquals("guest", all.get("provider"));
            assertEquals(RELU_CASES, all.get("cases"));
            assertEquals(List.of(), all.get("failures"));
            Map<String, Object> full =
                    JsonReader.object(shell.run(commands(shell), "verify", "guest", "relu", "--full", "--json"));
            assertTrue((double) full.get("cases") > RELU_CASES, full.toString());
            assertEquals(0.0, full.get("failed"));
        }
    }

    @Test
    @DisplayName("D4 vt:verify: a kernel that is wrong in one element fails, after its report is printed")
    void wrong() {
        Unary wrong = (queue, out, x) -> {
            Outcome outcome = RIGHT.run(queue, out, x);
            queue.synchronize();
            if (out.byteSpan() > 0) {
                out.segment().set(ValueLayout.JAVA_BYTE, out.offset() + out.byteSpan() - 1, (byte) 0x41);
            }
            return outcome;
        };
        try (TestShell shell = new TestShell(wrong)) {
            VtException e = assertThrows(
                    VtException.class, () -> shell.run(commands(shell), "verify", "guest", "relu", "--json"));
            assertTrue(e.getMessage().startsWith("vt:verify: "), e.getMessage());
            Map<?, ?> first = (Map<?, ?>)
                    ((List<?>) JsonReader.object(shell.printed().strip()).get("failures")).getFirst();
            assertEquals("relu", first.get("op"));
            assertTrue(first.containsKey("call") && first.containsKey("error"), first.toString());
        }
    }

    @Test
    @DisplayName(
            "D4 vt:verify: a kernel that turns wrong is refused with the call that showed it; right again, it is let"
                    + " in")
    void marks() {
        boolean[] spoiled = {false};
        Unary turning = (queue, out, x) -> {
            Outcome outcome = RIGHT.run(queue, out, x);
            queue.synchronize();
            if (spoiled[0] && out.byteSpan() > 0) {
                out.segment().set(ValueLayout.JAVA_BYTE, out.offset() + out.byteSpan() - 1, (byte) 0x41);
            }
            return outcome;
        };
        Device cpu = Device.of(DeviceType.CPU);
        try (TestShell shell = new TestShell(turning)) {
            shell.run(commands(shell), "verify", "guest");
            assertEquals("guest", shell.registry().explain(OpTable.RELU, cpu).selected());
            spoiled[0] = true;
            assertThrows(VtException.class, () -> shell.run(commands(shell), "verify", "guest"));
            Selection.Link link =
                    shell.registry().explain(OpTable.RELU, cpu).chain().getFirst();
            assertEquals(Selection.State.REFUSED, link.state());
            assertTrue(link.reason().startsWith("vt:verify: relu "), link.reason());
            assertEquals(
                    "vt-native", shell.registry().explain(OpTable.RELU, cpu).selected());
            spoiled[0] = false;
            shell.run(commands(shell), "verify", "guest");
            assertEquals("guest", shell.registry().explain(OpTable.RELU, cpu).selected());
        }
    }

    @Test
    @DisplayName("S13 vt:verify: declines are counted by reason; one after a write is a failure")
    void declines() {
        try (TestShell shell = new TestShell()) {
            Map<String, Object> all = JsonReader.object(shell.run(commands(shell), "verify", "guest", "--json"));
            assertEquals(Map.of("relu: the guest is tired", RELU_CASES), all.get("declines"));
            assertEquals(List.of(), all.get("failures"));
        }
        Unary writes = (queue, out, x) -> {
            out.segment().set(ValueLayout.JAVA_BYTE, out.offset(), (byte) 1);
            return TestShell.DECLINE;
        };
        try (TestShell shell = new TestShell(writes)) {
            assertThrows(VtException.class, () -> shell.run(commands(shell), "verify", "guest"));
            assertTrue(shell.printed().contains("declined (the guest is tired) after it had written"), shell.printed());
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
            x.segment().set(ValueLayout.JAVA_BYTE, x.offset(), (byte) 0x11);
            return outcome;
        };
        try (TestShell shell = new TestShell(broken)) {
            assertThrows(VtException.class, () -> shell.run(commands(shell), "verify", "guest"));
            assertTrue(shell.printed().contains("broken"), shell.printed());
            assertTrue(shell.printed().contains("is an input and was written"), shell.printed());
        }
    }

    @Test
    @DisplayName("D4 vt:verify: the CPU's own kernels serve the quick cases of every op of the catalogue")
    void everyOp() {
        try (TestShell shell = new TestShell(RIGHT)) {
            Map<String, Object> all = JsonReader.object(shell.run(commands(shell), "verify", "vt-native", "--json"));
            assertEquals((double) OpTable.all().size(), all.get("ops"));
            assertEquals(Map.of(), all.get("declines"));
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
}
