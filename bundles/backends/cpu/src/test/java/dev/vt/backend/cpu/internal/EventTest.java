package dev.vt.backend.cpu.internal;

import static dev.vt.backend.cpu.internal.Errors.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Event;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EventTest {
    private final CpuBackend backend = new CpuBackend(2);
    private final CpuQueue first = backend.createQueue();
    private final CpuQueue second = backend.createQueue();

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    @DisplayName("B6 an event that was never recorded is complete: query, host wait and queue wait return at once")
    void unrecorded() {
        try (Event event = backend.createEvent(true)) {
            assertEquals("cpu:0", event.device().toString());
            assertTrue(event.query());
            event.synchronize();
            first.waitFor(event);
            first.synchronize();
        }
    }

    @Test
    @DisplayName("B6 query never blocks and turns true, and host waits end, when the recorded work is done")
    void recorded() {
        for (boolean blocking : new boolean[] {false, true}) {
            Event event = backend.createEvent(blocking);
            Gate gate = Gate.in(first).entered();
            first.record(event);
            assertFalse(event.query());
            Thread waiter = Thread.ofVirtual().start(event::synchronize);
            assertTrue(waiter.isAlive());
            gate.open();
            event.synchronize();
            assertTrue(event.query());
            join(waiter);
            event.close();
        }
    }

    @Test
    @DisplayName("B6 a queue that waits for an event keeps the order of the recording queue, also when that one has "
            + "failed")
    void queueWait() {
        List<String> order = new CopyOnWriteArrayList<>();
        Event event = backend.createEvent(true);
        Gate gate = Gate.in(first).entered();
        first.submit(workers -> order.add("first"));
        first.submit(workers -> {
            throw new IllegalStateException("bad");
        });
        first.record(event);
        second.waitFor(event);
        second.submit(workers -> order.add("second"));
        assertTrue(order.isEmpty());
        gate.open();
        second.synchronize();
        assertEquals(List.of("first", "second"), order);
        refused(ErrorCode.KERNEL_FAILED, first::synchronize, "bad");
    }

    @Test
    @DisplayName("B6 order goes through a failed queue that waits: third after second after first")
    void orderThroughFailure() {
        CpuQueue third = backend.createQueue();
        List<String> order = new CopyOnWriteArrayList<>();
        second.submit(workers -> {
            throw new IllegalStateException("bad");
        });
        Gate gate = Gate.in(first).entered();
        first.submit(workers -> order.add("first"));
        Event a = backend.createEvent(true);
        Event b = backend.createEvent(false);
        first.record(a);
        second.waitFor(a);
        second.record(b);
        third.waitFor(b);
        third.submit(workers -> order.add("third"));
        gate.open();
        third.synchronize();
        assertEquals(List.of("first", "third"), order);
        refused(ErrorCode.KERNEL_FAILED, second::synchronize, "bad");
    }

    @Test
    @DisplayName("O4.3 destroying a pending event keeps the order of queues that wait; after it query and wait are "
            + "errors")
    void closePending() {
        List<String> order = new CopyOnWriteArrayList<>();
        Gate gate = Gate.in(first).entered();
        Event event = backend.createEvent(true);
        first.submit(workers -> order.add("first"));
        first.record(event);
        second.waitFor(event);
        second.submit(workers -> order.add("second"));
        event.close();
        event.close();
        refused(ErrorCode.CLOSED, event::query, "event of cpu:0");
        refused(ErrorCode.CLOSED, event::synchronize, "event of cpu:0");
        refused(ErrorCode.CLOSED, () -> first.record(event));
        refused(ErrorCode.CLOSED, () -> second.waitFor(event));
        gate.open();
        second.synchronize();
        assertEquals(List.of("first", "second"), order);
    }

    @Test
    @DisplayName("O4.3 destroy races with query 10,000 times: an answer or the documented error, nothing else")
    void closeRace() {
        AtomicReference<Event> current = new AtomicReference<>();
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        CountDownLatch ready = new CountDownLatch(1);
        Thread asking = Thread.ofPlatform().start(() -> {
            ready.countDown();
            for (Event e = current.get();
                    e != null || current.get() != null || wrong.get() == null;
                    e = current.get()) {
                try {
                    if (e == END) {
                        return;
                    }
                    if (e != null) {
                        e.query();
                    }
                } catch (VtException closed) {
                    if (closed.code() != ErrorCode.CLOSED) {
                        wrong.set(closed);
                    }
                } catch (RuntimeException other) {
                    wrong.set(other);
                }
            }
        });
        Gate.await(ready);
        for (int i = 0; i < 10_000; i++) {
            Event event = backend.createEvent(false);
            current.set(event);
            first.record(event);
            event.close();
        }
        current.set(END);
        join(asking);
        assertEquals(null, wrong.get());
        first.synchronize();
    }

    private static final Event END = new Foreign(Device.of(DeviceType.METAL)).event();

    @Test
    @DisplayName("B6 an event of one device on another's queue is refused by name")
    void otherDevice() {
        Event foreign = new Foreign(Device.of(DeviceType.VULKAN, 1)).event();
        refused(ErrorCode.INVALID_ARGUMENT, () -> first.record(foreign), "vulkan:1", "cpu:0");
        refused(ErrorCode.INVALID_ARGUMENT, () -> first.waitFor(foreign), "vulkan:1", "cpu:0");
        Event alien = new Foreign(backend.device()).event();
        refused(ErrorCode.INVALID_ARGUMENT, () -> first.record(alien), "event of this backend");
    }

    @Test
    @DisplayName("B6 a task must not wait for a pending event on the host")
    void waitInTask() {
        Event event = backend.createEvent(true);
        Gate gate = Gate.in(first).entered();
        first.record(event);
        second.submit(workers -> event.synchronize());
        refused(ErrorCode.KERNEL_FAILED, second::synchronize, "waitFor");
        gate.open();
    }

    private static void join(Thread thread) {
        try {
            assertTrue(thread.join(Duration.ofSeconds(Gate.DEADLINE_SECONDS)));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
