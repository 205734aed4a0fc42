package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.op.Selection;
import dev.vt.api.spi.AdmissionTest;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.Level;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import dev.vt.testkit.SecondDevices.Kind;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Devices that fail: a launch, a task in a queue, an allocation. */
@DisplayName("A second device that fails")
@Timeout(120)
class SecondDeviceFaultsTest {
    private static final SecondDevices DEVICES = new SecondDevices();

    @AfterAll
    static void close() {
        DEVICES.close();
    }

    private static VtRuntime runtime(DeviceDouble device) {
        VtRuntime runtime = VtRuntime.load();
        runtime.add(device);
        runtime.add(new DoubleProvider("own", 10, device, DEVICES.kernels()));
        return runtime;
    }

    private static void relu(VtRuntime runtime, Queue queue, Memory out, Memory in) {
        new Ops(runtime.ops()).relu(queue, Tensor.of(out, DType.F32, 2), Tensor.of(in, DType.F32, 2));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("S13 O3.14 a launch that fails is the caller's error, no fallback; the next call is served by the same"
            + " kernel")
    void launch(Kind kind) {
        try (DeviceDouble device = kind.builder().failingLaunch(1).open();
                VtRuntime runtime = runtime(device);
                Queue queue = device.createQueue();
                Memory in = device.allocate(8);
                Memory out = device.allocate(8)) {
            VtException e = assertThrows(VtException.class, () -> relu(runtime, queue, out, in));
            assertEquals(ErrorCode.KERNEL_FAILED, e.code());
            assertTrue(e.getMessage().contains("launch 1 failed"), e.getMessage());
            assertEquals(0, runtime.ops().referenceHits());
            relu(runtime, queue, out, in);
            queue.synchronize();
            assertEquals(
                    "own", runtime.ops().explain(OpTable.RELU, device.device()).selected());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "S12 a task that fails in a queue is told by synchronize, once; what was queued behind it is not done, and"
                    + " the queue works again")
    void sticky(Kind kind) {
        try (DeviceDouble device = kind.builder().failingTask(2).open();
                VtRuntime runtime = runtime(device);
                Queue queue = device.createQueue();
                Queue other = device.createQueue();
                Memory in = device.allocate(8);
                Memory out = device.allocate(8)) {
            relu(runtime, queue, out, in);
            relu(runtime, queue, out, in);
            device.memset(queue, out, 0, (byte) 9, 8);
            VtException e = assertThrows(VtException.class, queue::synchronize);
            assertTrue(e.getMessage().contains("task 2 failed"), e.getMessage());
            byte[] bytes = new byte[8];
            device.download(queue, MemorySegment.ofArray(bytes), out, 0);
            queue.synchronize();
            assertEquals(0, bytes[0], "the fill behind the failure was not done");
            relu(runtime, other, out, in);
            other.synchronize();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("B1 an allocation that fails is one failed case of the kit, and nothing that it had allocated is left")
    void allocation(Kind kind) {
        OpSpec spec = Conformance.spec(OpTable.ADD).orElseThrow();
        try (DeviceDouble device = kind.builder().failingAllocation(2).open();
                Subject subject = Subject.of(DEVICES.provider(device).kernels(), OpTable.ADD)
                        .orElseThrow()) {
            OpResult result = new Conformance(Level.QUICK).run(spec, subject, device);
            assertEquals(1, result.failed());
            assertTrue(
                    result.failures().get(0).error().contains("no memory is left"),
                    result.failures().toString());
            assertEquals(device.counts().allocations(), device.counts().frees());
            assertEquals(0, device.memoryUse().queues());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("D4 a launch or a task that fails during admission refuses that kernel with the reason and leaves the"
            + " device usable for the others")
    void admission(Kind kind) throws Exception {
        for (boolean launch : new boolean[] {true, false}) {
            DeviceDouble.Builder builder =
                    launch ? kind.builder().failingLaunch(1) : kind.builder().failingTask(1);
            KernelSet two = KernelSet.builder()
                    .put(OpTable.ADD, DEVICES.kernels().get(OpTable.ADD))
                    .put(OpTable.RELU, DEVICES.kernels().get(OpTable.RELU))
                    .build();
            try (DeviceDouble device = builder.open();
                    VtRuntime runtime = VtRuntime.load(Map.of("admission", "quick"))) {
                runtime.add(device);
                runtime.add(new DoubleProvider("own", 10, device, two));
                assertTrue(runtime.ops().awaitAdmission(Duration.ofSeconds(60)));
                Selection add = runtime.ops().explain(OpTable.ADD, device.device());
                Selection relu = runtime.ops().explain(OpTable.RELU, device.device());
                Selection refused = add.selected() == null ? add : relu;
                Selection served = add.selected() == null ? relu : add;
                assertEquals("own", served.selected());
                assertEquals(Selection.State.REFUSED, refused.chain().get(0).state());
                assertTrue(refused.chain().get(0).reason().contains(launch ? "launch 1 failed" : "task 1 failed"));
                assertEquals(device.counts().allocations(), device.counts().frees());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "D4 S16 a device that leaves while a provider is tested on it waits for the test; no task meets a closed"
                    + " device")
    void leaves(Kind kind) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        AdmissionTest slow = (backend, provider, kernels, level) -> {
            try (Queue queue = backend.createQueue();
                    Memory memory = backend.allocate(8)) {
                while (!Thread.interrupted()) {
                    backend.memset(queue, memory, 0, (byte) 1, 8);
                    queue.synchronize();
                    inside.countDown();
                }
            }
            return Map.of();
        };
        try (VtRuntime runtime = VtRuntime.empty(Map.of("admission", "quick"))) {
            DeviceDouble device = kind.builder().open();
            VtRuntime.Registration added = runtime.add(device);
            runtime.add(new DoubleProvider("own", 10, device, DEVICES.kernels()));
            runtime.add(slow);
            assertTrue(inside.await(60, TimeUnit.SECONDS));
            added.close();
            assertEquals(0, device.memoryUse().queues(), "the test has given back its queue");
            device.close();
            assertEquals(device.counts().allocations(), device.counts().frees());
            assertEquals("backend", device.journal().getLast());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("S16 a provider that leaves under load: each call is served by it or by the next, and the device is"
            + " drained")
    void underLoad(Kind kind) throws Exception {
        Outcome never = Outcome.declined("never");
        try (DeviceDouble device = kind.builder().open();
                VtRuntime runtime = VtRuntime.load()) {
            runtime.add(device);
            DoubleProvider low = new DoubleProvider("low", 1, device, DEVICES.kernels());
            runtime.add(low);
            runtime.add(new DoubleProvider(
                            "declining", 20, device, KernelSet.builder().build())
                    .with(OpTable.RELU, (queue, out, x) -> never));
            try (Queue queue = device.createQueue();
                    Memory in = device.allocate(8);
                    Memory out = device.allocate(8)) {
                long highCalls = 0;
                for (int round = 0; round < 20; round++) {
                    DoubleProvider high = new DoubleProvider("high", 10, device, DEVICES.kernels());
                    VtRuntime.Registration added = runtime.add(high);
                    Thread leaving = Thread.ofPlatform().unstarted(added::close);
                    for (int i = 0; i < 50; i++) {
                        if (i == 25) {
                            leaving.start();
                        }
                        relu(runtime, queue, out, in);
                    }
                    leaving.join();
                    highCalls += high.calls(OpTable.RELU);
                }
                queue.synchronize();
                assertEquals(1000, highCalls + low.calls(OpTable.RELU));
                assertEquals(
                        1000, runtime.ops().stats(OpTable.RELU, device.device()).declines());
                assertEquals(0, runtime.ops().referenceHits());
            }
        }
    }
}
