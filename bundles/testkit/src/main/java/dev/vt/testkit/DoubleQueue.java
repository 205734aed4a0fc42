package dev.vt.testkit;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuTask;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A queue of a {@link DeviceDouble} over a real queue of the CPU. When it defers, work gathers here until it is flushed; waiting for
 * the queue flushes it too, and is counted. What needs the work before it (events, captures, closing) flushes silently. Any
 * thread may use it.
 */
public final class DoubleQueue implements CpuQueue {
    private final DeviceDouble owner;
    private final CpuQueue inner;
    private final boolean deferred;
    private final List<Runnable> pending = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    DoubleQueue(DeviceDouble owner, CpuQueue inner, boolean deferred) {
        this.owner = owner;
        this.inner = inner;
        this.deferred = deferred;
    }

    CpuQueue inner() {
        return inner;
    }

    boolean defers() {
        return deferred && !inner.capturing();
    }

    /** Pieces of work that are kept back. */
    public int pending() {
        synchronized (pending) {
            return pending.size();
        }
    }

    /** Submits the work, or keeps it back. */
    void enqueue(Runnable submission) {
        if (!defers()) {
            submission.run();
            return;
        }
        if (closed.get()) {
            throw VtException.closed(this + ": the queue is closed");
        }
        synchronized (pending) {
            pending.add(submission);
        }
    }

    /** Submits what was kept back, in order. */
    void flush() {
        // Held while submitting: a second flush must not overtake the first. A submission only hands work to the queue.
        synchronized (pending) {
            List<Runnable> now = List.copyOf(pending);
            pending.clear();
            now.forEach(Runnable::run);
        }
    }

    @Override
    public void submit(CpuTask task) {
        CpuTask launched = owner.launching(task);
        enqueue(() -> inner.submit(launched));
    }

    @Override
    public MemorySegment segmentAt(long address, long bytes) {
        return inner.segmentAt(address, bytes);
    }

    @Override
    public void uses(Tensor... tensors) {
        for (Tensor t : tensors) {
            inner.uses(t.memory() instanceof DoubleMemory ? owner.reveal(t) : t);
        }
    }

    @Override
    public long id() {
        return inner.id();
    }

    @Override
    public Device device() {
        return owner.device();
    }

    @Override
    public void synchronize() {
        if (pending() > 0) {
            owner.waitedUnflushed();
            flush();
        }
        inner.synchronize();
    }

    @Override
    public void record(Event event) {
        flush();
        inner.record(own(event));
    }

    @Override
    public void waitFor(Event event) {
        flush();
        inner.waitFor(own(event));
    }

    private Event own(Event event) {
        if (!(event instanceof DoubleEvent own) || !own.device().equals(device())) {
            throw VtException.invalidArgument(
                    this + ": expected an event of " + device() + ", given one of " + event.device());
        }
        return own.inner();
    }

    @Override
    public boolean capturing() {
        return inner.capturing();
    }

    @Override
    public void noteOwner(KernelOwner kernelOwner) {
        inner.noteOwner(kernelOwner);
    }

    @Override
    public void beginCapture() {
        flush();
        inner.beginCapture();
    }

    @Override
    public Graph endCapture() {
        return new DoubleGraph(device(), inner.endCapture());
    }

    @Override
    public void endCaptureStored() {
        inner.endCaptureStored();
    }

    @Override
    public void replayStored() {
        flush();
        inner.replayStored();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            flush();
            inner.close();
            owner.left(this);
        }
    }

    @Override
    public String toString() {
        return "queue " + id() + " of " + device();
    }
}
