package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Policy;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendStatus;
import dev.vt.ops.OpTable;
import dev.vt.testkit.Eventually;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.Probe;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.service.cm.Configuration;

/** Disabling and policy, by command and by configuration. */
class SteeringIT extends InFramework {
    private static final String PID = "dev.vt.registry";

    private final Logger logger = Logger.getLogger("dev.vt.registry");
    private final Queue<LogRecord> log = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            log.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void forget() throws Exception {
        logger.removeHandler(handler);
        Configuration configuration = configurations().getConfiguration(PID, null);
        if (configuration.getProperties() != null) {
            Eventually.within(SOON).holds("configuration is gone", () -> {
                configurations().getConfiguration(PID, null).delete();
                return registry.policy(CPU).equals(Policy.DEFAULT)
                        && registry.disabled().isEmpty();
            });
        }
    }

    private void configure(Map<String, Object> properties) throws Exception {
        configurations().getConfiguration(PID, null).update(new Hashtable<>(properties));
    }

    private void awaitPolicy(Policy policy) {
        Eventually.within(SOON).see("policy", () -> service(OpRegistry.class).policy(CPU), policy::equals);
        find();
    }

    private List<String> errors() {
        return log.stream()
                .filter(r -> r.getLevel().intValue() >= Level.SEVERE.intValue())
                .map(LogRecord::getMessage)
                .toList();
    }

    @Test
    @DisplayName("S20 O3.4 a provider disabled before it starts is never loaded, and loaded once when enabled")
    void disabledBeforeStart() throws Exception {
        try (Probe probe = Probe.open()) {
            configure(Map.of("disabled", "t-off"));
            Eventually.within(SOON)
                    .see("disabled", () -> service(OpRegistry.class).disabled(), Set.of("t-off")::equals);
            find();
            install(provider("t-off", 90, 9).probe(probe).build());
            assertEquals(Selection.State.DISABLED, status("t-off").state());
            assertEquals(Caller.RIGHT, call());
            assertEquals(
                    List.of(0L, 0L, 0L, 0L),
                    List.of(probe.loaded(), probe.made(), probe.supportsAsked(), probe.calls()));
            configure(Map.of("disabled", ""));
            awaitSelected("t-off");
            assertEquals(9f, call());
            assertEquals(
                    List.of(1L, 1L, 1L, 1L),
                    List.of(probe.loaded(), probe.made(), probe.supportsAsked(), probe.calls()));
        }
    }

    @Test
    @DisplayName("S20 disable and enable at run time are idempotent; an unknown name says so")
    void disable() throws Exception {
        install(provider("t-x", 90, 9).build());
        assertTrue(registry.disable("t-x"));
        assertTrue(registry.disable("t-x"));
        assertEquals(Selection.State.DISABLED, link("t-x").state());
        assertEquals(Caller.RIGHT, call());
        assertTrue(registry.enable("t-x"));
        assertFalse(registry.enable("t-x"));
        assertEquals(9f, call());
        assertFalse(registry.disable("t-nobody"));
    }

    @Test
    @DisplayName("S24 strict: a decline is an error that names provider, op and reason")
    void strict() throws Exception {
        install(bare("t-declines")
                .priority(90)
                .kernel(OpTable.MATMUL_BT, KernelBehaviour.declines("not today"))
                .build());
        assertEquals(Caller.RIGHT, call());
        configure(Map.of("fallback", "strict"));
        awaitPolicy(new Policy(Policy.Fallback.STRICT, Set.of(), Set.of()));
        String message = assertThrows(VtException.class, this::call).getMessage();
        for (String part : List.of("t-declines", "matmul_bt", "not today", "cpu:0")) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    @DisplayName("S24 O3.2 only those on the allow list are asked, whoever declines")
    void allowList() throws Exception {
        try (Probe probe = Probe.open()) {
            install(bare("t-a")
                    .priority(90)
                    .kernel(OpTable.MATMUL_BT, KernelBehaviour.declines("not today"))
                    .build());
            install(provider("t-b", 80, 2).probe(probe).build());
            install(provider("t-c", 70, 3).build());
            configure(Map.of("cpu:0.allow", "t-a, t-c"));
            awaitPolicy(new Policy(Policy.Fallback.ALLOW, Set.of("t-a", "t-c"), Set.of()));
            assertEquals(3f, call());
            assertEquals(0, probe.calls());
            assertEquals(Selection.State.NOT_PERMITTED, link("t-b").state());
            assertEquals("policy of cpu:0: not on the allow list", link("t-b").reason());
        }
    }

    @Test
    @DisplayName("S24 a knob that can't be honoured is one error in the log, and the policy before it stays")
    void badKnob() throws Exception {
        configure(Map.of("deny", "t-never"));
        Policy before = new Policy(Policy.Fallback.ALLOW, Set.of(), Set.of("t-never"));
        awaitPolicy(before);
        log.clear();
        configure(Map.of("fallback", "sometimes"));
        List<String> errors = Eventually.within(SOON).see("errors", this::errors, e -> !e.isEmpty());
        assertEquals(1, errors.size(), errors.toString());
        assertTrue(
                errors.get(0).contains("key fallback: expected allow, reference-off or strict, given 'sometimes'"),
                errors.get(0));
        assertEquals(before, registry.policy(CPU));
        configure(Map.of("fallback", "reference-off"));
        awaitPolicy(new Policy(Policy.Fallback.REFERENCE_OFF, Set.of(), Set.of()));
    }

    @Test
    @DisplayName("O3.1 a device that failed to open is shown with the reason, and asking for it is an error that says "
            + "what there is")
    void failedDevice() {
        Device cuda = Device.of(DeviceType.CUDA);
        BackendStatus failed =
                new BackendStatus(cuda, BackendStatus.State.FAILED, "cuda", "driver and library do not match");
        backends.report(failed);
        try {
            assertTrue(backends.statuses().contains(failed));
            String message =
                    assertThrows(VtException.class, () -> backends.get(cuda)).getMessage();
            assertTrue(message.contains("cuda:0") && message.contains("present are cpu:0"), message);
            String none = assertThrows(NoKernelException.class, () -> registry.acquire(OpTable.MATMUL_BT, cuda))
                    .getMessage();
            assertTrue(none.contains("cuda:0"), none);
            assertEquals(1, registry.stats(OpTable.MATMUL_BT, cuda).fallbacks());
        } finally {
            backends.forget(cuda, "cuda");
            registry.resetStats(OpTable.MATMUL_BT, cuda);
        }
        assertFalse(backends.statuses().contains(failed));
    }

    @Test
    @DisplayName("S25 the digest tells a change of policy, and comes back with it")
    void digest() throws Exception {
        Bundle b = install(provider("t-x", 90, 9).build());
        String before = registry.digest();
        registry.disable("t-x");
        String disabled = registry.digest();
        assertNotEquals(before, disabled);
        registry.enable("t-x");
        assertEquals(before, registry.digest());
        b.stop();
        b.start();
        assertEquals(before, registry.digest());
    }
}
