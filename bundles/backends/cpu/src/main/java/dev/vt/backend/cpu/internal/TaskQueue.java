package dev.vt.backend.cpu.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.api.device.Graph;
import dev.vt.api.device.HandleIds;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuTask;
import dev.vt.backend.cpu.CpuWorkers;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue with a thread of its own. Any thread hands work over without a lock: a linked list whose tail is swapped in
 * by the givers and whose head belongs to the queue's thread, which looks for work for a moment after each piece and
 * then sleeps. Fences and waits are kept even while a failure makes the queue discard tasks, so that order between
 * queues holds.
 */
final class TaskQueue implements CpuQueue {
    private static final System.Logger LOG = System.getLogger(TaskQueue.class.getName());

    private final long id = HandleIds.nextQueue();
    private final Device device;
    private final CpuWorkers workers;
    private final OpenBlocks blocks;
    private final Consumer<TaskQueue> onClose;
    private final CpuThread thread;
    private final Stop stop = new Stop();
    /** The last node given; {@link #stop} once closed, and then nothing can follow. */
    private final AtomicReference<Node> tail;
    /** The last node done; equal to the tail when there is nothing to do. Written by the queue's thread alone. */
    private volatile Node finished;
    /**
     * What the first failed task threw since the last report. Written by the queue's thread alone, before {@link
     * #finished}.
     */
    private volatile @Nullable Throwable failure;

    private volatile boolean asleep;
    private volatile @Nullable Capture capture;
    private volatile @Nullable Capture refusedCapture;
    private final AtomicReference<@Nullable Graph> stored = new AtomicReference<>();

    TaskQueue(Device device, CpuWorkers workers, OpenBlocks blocks, Consumer<TaskQueue> onClose) {
        this.device = device;
        this.workers = workers;
        this.blocks = blocks;
        this.onClose = onClose;
        Node first = new Mark(Fence.of(1));
        this.tail = new AtomicReference<>(first);
        this.finished = first;
        this.thread = new CpuThread("vt-cpu-queue-" + id, () -> work(first));
    }

    void start() {
        thread.start();
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public void submit(CpuTask task) {
        Objects.requireNonNull(task, "task");
        Capture recording = capture;
        if (recording != null && recording.add(task)) {
            return;
        }
        push(new Work(task));
    }

    @Override
    public void uses(Tensor... tensors) {
        Capture recording = capture;
        if (recording != null) {
            for (Tensor t : tensors) {
                recording.uses(t.memory());
            }
        }
    }

    @Override
    public MemorySegment segmentAt(long address, long bytes) {
        return blocks.at(address, bytes);
    }

    /** The same for one block. */
    void uses(Memory memory) {
        Capture recording = capture;
        if (recording != null) {
            recording.uses(memory);
        }
    }

    /** Blocks until all work so far is done; failures stay. */
    void awaitMark() {
        Fence fence = Fence.of(1);
        push(new Mark(fence));
        fence.await();
    }

    @Override
    public void synchronize() {
        refuseInTask("synchronize");
        refuseInCapture("synchronize");
        if (idle() && failure == null) {
            if (tail.get() == stop) {
                throw closedError();
            }
            return;
        }
        Report report = new Report();
        push(report);
        report.fence.await();
        Throwable cause = report.cause;
        if (cause != null) {
            String said = cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
            throw new VtException(ErrorCode.KERNEL_FAILED, this + ": a task failed: " + said, cause);
        }
    }

    @Override
    public void record(Event event) {
        CpuEvent own = CpuEvent.of(this, event);
        refuseInCapture("record");
        Fence fence = Fence.of(1);
        push(new Mark(fence));
        own.recorded(fence);
    }

    @Override
    public void waitFor(Event event) {
        CpuEvent own = CpuEvent.of(this, event);
        refuseInCapture("waitFor");
        Fence fence = own.last();
        if (fence != null && !fence.done()) {
            push(new Await(fence));
        } else if (tail.get() == stop) {
            throw closedError();
        }
    }

    @Override
    public boolean capturing() {
        return capture != null;
    }

    @Override
    public void noteOwner(KernelOwner owner) {
        Capture recording = capture;
        if (recording != null) {
            recording.owner(owner);
        }
    }

    @Override
    public void beginCapture() {
        if (tail.get() == stop) {
            throw closedError();
        }
        synchronized (stop) {
            if (capture != null) {
                throw VtException.invalidArgument(this + ": beginCapture: a capture is already on; end it first");
            }
            refusedCapture = null;
            capture = new Capture(device, Thread.currentThread());
        }
    }

    @Override
    public Graph endCapture() {
        synchronized (stop) {
            Capture refused = refusedCapture;
            refusedCapture = null;
            if (refused != null) {
                throw VtException.invalidArgument(
                        this + ": endCapture: the capture was ended before: " + refused.endReason());
            }
            Capture recording = capture;
            capture = null;
            if (recording == null) {
                throw VtException.invalidArgument(this + ": endCapture: no capture is on; call beginCapture first");
            }
            return recording.end();
        }
    }

    @Override
    public void endCaptureStored() {
        closeGraph(stored.getAndSet(endCapture()));
    }

    @Override
    public void replayStored() {
        Graph graph = stored.get();
        if (graph == null) {
            throw VtException.invalidArgument(this + ": replayStored: no graph is stored; call endCaptureStored first");
        }
        graph.replay(this);
    }

    /** The capture of the calling thread on this queue, or null. */
    @Nullable
    Capture captureOfCaller() {
        Capture recording = capture;
        return recording != null && recording.owner() == Thread.currentThread() ? recording : null;
    }

    /** Ends the capture without a graph; the queue works as usual from now on. */
    void refuseCapture(Capture recording, String reason) {
        synchronized (stop) {
            if (capture == recording) {
                recording.refuse(reason);
                refusedCapture = recording;
                capture = null;
            }
        }
    }

    /** The capture that is on, or null. */
    @Nullable
    Capture recording() {
        return capture;
    }

    /** True when the thread of this queue can read and write the segment's memory. */
    boolean reaches(MemorySegment segment) {
        return segment.isAccessibleBy(thread);
    }

    /** Lets the fence wait for all work accepted so far, if there is any. */
    void join(Fence fence) {
        if (idle()) {
            return;
        }
        fence.expect();
        if (!offer(new Mark(fence))) {
            // Closed in between, but its last work may still be under way.
            stop.afterwards(fence);
        }
    }

    @Override
    public void close() {
        boolean first = offer(stop);
        if (!CpuThread.isCurrent()) {
            thread.awaitEnd();
        }
        if (first) {
            capture = null;
            closeGraph(stored.getAndSet(null));
        }
    }

    private static void closeGraph(@Nullable Graph graph) {
        if (graph != null) {
            graph.close();
        }
    }

    @Override
    public String toString() {
        return "queue " + id + " of " + device;
    }

    private boolean idle() {
        return finished == tail.get();
    }

    void refuseInTask(String what) {
        if (CpuThread.isCurrent()) {
            throw VtException.invalidArgument(this + ": " + what + ": a task of the backend must not wait for a queue;"
                    + " call it from a thread of your own");
        }
    }

    void refuseInCapture(String what) {
        if (capture != null) {
            throw VtException.unsupported(
                    this + ": " + what + ": not possible during a capture; end the capture first");
        }
    }

    private VtException closedError() {
        return VtException.closed(this + ": the queue is closed");
    }

    private void push(Node node) {
        if (!offer(node)) {
            throw closedError();
        }
    }

    private boolean offer(Node node) {
        Node before;
        do {
            before = tail.get();
            if (before == stop) {
                return false;
            }
        } while (!tail.compareAndSet(before, node));
        before.next = node;
        if (asleep) {
            LockSupport.unpark(thread);
        }
        return true;
    }

    private void work(Node first) {
        Node at = first;
        while (at != stop) {
            Node before = at;
            at = next(before);
            // Unlinked, so that an old node never keeps younger ones alive.
            before.next = null;
            at.run(this);
            finished = at;
        }
        stop.end();
        onClose.accept(this);
        Throwable unreported = failure;
        if (unreported != null) {
            LOG.log(System.Logger.Level.WARNING, this + ": closed with a failure that nobody asked for", unreported);
        }
    }

    private Node next(Node before) {
        Node node = before.next;
        while (node == null) {
            if (!Spin.until(() -> before.next != null)) {
                asleep = true;
                while (before.next == null) {
                    LockSupport.park(this);
                }
                asleep = false;
            }
            node = before.next;
        }
        return node;
    }

    /** A piece of work in the list. */
    private abstract static class Node {
        volatile @Nullable Node next;

        abstract void run(TaskQueue queue);
    }

    private static final class Work extends Node {
        private @Nullable CpuTask task;

        Work(CpuTask task) {
            this.task = task;
        }

        @Override
        void run(TaskQueue queue) {
            CpuTask todo = task;
            task = null;
            if (todo != null && queue.failure == null) {
                try {
                    todo.run(queue.workers);
                } catch (Throwable e) {
                    // Whatever it is, the thread has to go on for the other users of the queue; synchronize() reports
                    // it.
                    queue.failure = e;
                }
            }
        }
    }

    private static final class Mark extends Node {
        private final Fence fence;

        Mark(Fence fence) {
            this.fence = fence;
        }

        @Override
        void run(TaskQueue queue) {
            fence.arrive();
        }
    }

    private static final class Await extends Node {
        private final Fence fence;

        Await(Fence fence) {
            this.fence = fence;
        }

        @Override
        void run(TaskQueue queue) {
            fence.await();
        }
    }

    /** Takes the failure out of the queue and hands it to one caller of synchronize. */
    private static final class Report extends Node {
        private final Fence fence = Fence.of(1);
        private @Nullable Throwable cause;

        @Override
        void run(TaskQueue queue) {
            cause = queue.failure;
            queue.failure = null;
            fence.arrive();
        }
    }

    /** The last node of all. Fences that come too late for the list gather here. */
    private static final class Stop extends Node {
        private final List<Fence> late = new ArrayList<>();
        private boolean ended;

        void afterwards(Fence fence) {
            synchronized (late) {
                if (!ended) {
                    late.add(fence);
                    return;
                }
            }
            fence.arrive();
        }

        void end() {
            synchronized (late) {
                ended = true;
            }
            late.forEach(Fence::arrive);
        }

        @Override
        void run(TaskQueue queue) {}
    }
}
