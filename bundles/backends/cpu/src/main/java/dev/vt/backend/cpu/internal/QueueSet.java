package dev.vt.backend.cpu.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.backend.cpu.CpuWorkers;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open queues of one backend. Any thread may call it; closing it closes them all and lets no new one in. */
final class QueueSet implements AutoCloseable {
    private final Device device;
    private final CpuWorkers workers;
    private final OpenBlocks blocks;
    private final Set<TaskQueue> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    QueueSet(Device device, CpuWorkers workers, OpenBlocks blocks) {
        this.device = device;
        this.workers = workers;
        this.blocks = blocks;
    }

    TaskQueue create() {
        TaskQueue queue = new TaskQueue(device, workers, blocks, open::remove);
        open.add(queue);
        queue.start();
        if (closed) {
            queue.close();
            throw VtException.closed("backend cpu of " + device + ": createQueue: the backend is closed");
        }
        return queue;
    }

    int size() {
        return open.size();
    }

    /** Runs an action after all work that the queues have accepted so far, and returns the fence to wait for. */
    Fence afterPending(Runnable action) {
        Fence fence = Fence.of(action);
        for (TaskQueue queue : open) {
            queue.join(fence);
        }
        fence.arrive();
        return fence;
    }

    void drain() {
        if (CpuThread.isCurrent()) {
            throw VtException.invalidArgument("backend cpu of " + device
                    + ": drain: a task of the backend must not wait for queues; call it from a thread of your own");
        }
        afterPending(() -> {}).await();
    }

    /** Memory can't be had while the calling thread captures: the capture ends and the call is refused. */
    void refuseInCapture(String what) {
        for (TaskQueue queue : open) {
            Capture capture = queue.captureOfCaller();
            if (capture != null) {
                String sentence = queue + ": " + what + " during a capture: not possible; allocate before beginCapture";
                queue.refuseCapture(capture, sentence);
                throw VtException.unsupported(sentence + " (the capture has been ended)");
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        for (TaskQueue queue : open) {
            queue.close();
        }
    }
}
