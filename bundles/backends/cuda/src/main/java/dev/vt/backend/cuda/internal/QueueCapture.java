package dev.vt.backend.cuda.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Graph;
import dev.vt.api.device.StaleGraphException;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import jcuda.driver.CUgraph;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/** The captures of one queue, one at a time, under the queue's lock. Any thread may call it. */
final class QueueCapture {
    private final StreamQueue queue;
    private final CudaDevice device;
    private final DeviceContext context;
    private final CUstream stream;
    private final ReentrantLock lock;
    private volatile @Nullable Capture current;
    /** Why the last capture was ended before its time, until somebody has ended it and was told. */
    private volatile @Nullable String refused;

    QueueCapture(StreamQueue queue, CudaDevice device, CUstream stream, ReentrantLock lock) {
        this.queue = queue;
        this.device = device;
        this.context = device.context();
        this.stream = stream;
        this.lock = lock;
    }

    /** The capture that is on, or null. */
    @Nullable
    Capture current() {
        return current;
    }

    void note(Consumer<Capture> what) {
        if (current == null) {
            return;
        }
        lock.lock();
        try {
            Capture recording = current;
            if (recording != null) {
                what.accept(recording);
            }
        } finally {
            lock.unlock();
        }
    }

    void begin() {
        queue.requireOpen();
        requireNone();
        FaultRecord own = device.createFaults();
        device.captures().begin();
        boolean begun = false;
        lock.lock();
        try {
            queue.requireOpen();
            requireNone();
            own.reset(stream);
            // Recorded now and not again until the end: what waits for accepted work waits for what came before the
            // capture.
            queue.fence();
            context.beginCapture(stream);
            refused = null;
            current = new Capture(Thread.currentThread(), own, device.createScratch(true));
            begun = true;
        } finally {
            lock.unlock();
            if (!begun) {
                device.captures().end();
                own.free();
            }
        }
    }

    private void requireNone() {
        if (current != null) {
            throw VtException.invalidArgument(queue + ": beginCapture: a capture is already on; end it first");
        }
    }

    Graph end() {
        Recorded recorded = take();
        Graph[] made = new Graph[1];
        try {
            // A provider that has left meanwhile took its kernels with it: the driver must not look at them any more.
            Owners.inside(
                    device.device(),
                    recorded.notes().owners(),
                    () -> made[0] = device.graph(recorded.raw(), recorded.notes()));
        } catch (StaleGraphException e) {
            context.destroy(recorded.raw());
            recorded.notes().releases().forEach(Runnable::run);
            throw e;
        }
        return made[0];
    }

    /** The driver's graph and what was noted beside it. */
    private record Recorded(CUgraph raw, Capture notes) {}

    private Recorded take() {
        boolean ended = false;
        lock.lock();
        try {
            String reason = refused;
            refused = null;
            if (reason != null) {
                throw VtException.invalidArgument(queue + ": endCapture: the capture was ended before: " + reason);
            }
            Capture recording = current;
            if (recording == null) {
                throw VtException.invalidArgument(queue + ": endCapture: no capture is on; call beginCapture first");
            }
            current = null;
            ended = true;
            return new Recorded(context.endCapture(stream), recording);
        } finally {
            lock.unlock();
            if (ended) {
                device.captures().end();
            }
        }
    }

    /** Refuses what a capture can't record. */
    void refuse(String what) {
        if (current != null) {
            throw VtException.unsupported(
                    queue + ": " + what + ": not possible during a capture; end the capture first");
        }
    }

    /** Ends a capture of the calling thread and throws; else does nothing. */
    void refuseOfCaller(String what) {
        Capture recording = current;
        if (recording == null || recording.thread() != Thread.currentThread()) {
            return;
        }
        String sentence = queue + ": " + what + " during a capture: not possible; allocate before beginCapture";
        abandon(sentence);
        throw VtException.unsupported(sentence + " (the capture has been ended)");
    }

    /** Ends a capture without a graph, if one is on; the queue works as usual from now on. */
    void abandon(@Nullable String reason) {
        Capture recording;
        boolean ended = false;
        lock.lock();
        try {
            recording = current;
            ended = recording != null;
            current = null;
            refused = reason;
            if (recording != null && !context.state().failed()) {
                context.destroy(context.endCapture(stream));
            }
        } finally {
            lock.unlock();
            if (ended) {
                device.captures().end();
            }
        }
        if (recording != null) {
            recording.releases().forEach(Runnable::run);
        }
    }
}
