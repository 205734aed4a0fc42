package dev.vt.backend.cuda.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.api.device.Graph;
import dev.vt.api.device.HandleIds;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.CudaContext;
import dev.vt.backend.cuda.CudaStream;
import dev.vt.backend.cuda.CudaTask;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.natives.jcuda.StreamHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/**
 * A queue: a stream, and one lock under which work is given to it. A fault that a kernel finds in its data makes the device
 * discard later kernels of this queue until {@link #synchronize} has reported it; copies that were accepted by then are done.
 */
final class StreamQueue implements LaunchQueue {
    private static final System.Logger LOG = System.getLogger("dev.vt.backend.cuda");

    private final long id = HandleIds.nextQueue();
    private final CudaDevice device;
    private final DeviceContext context;
    private final StreamHandle stream;
    /** Recorded when somebody wants to wait for what was accepted; while a capture is on, from right before it. */
    private final CUevent fence;

    private final FaultRecord faults;
    private final ReentrantLock lock = new ReentrantLock();
    private final Launch launch;
    private final Scratch scratch;
    private final OpenStream opened;
    private final UseCount uses = new UseCount(this::release);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicReference<@Nullable Graph> stored = new AtomicReference<>();
    private final QueueCapture captures;

    StreamQueue(CudaDevice device) {
        this.device = device;
        this.context = device.context();
        this.faults = device.createFaults();
        this.stream = context.createStream();
        this.fence = context.createEvent(true);
        this.launch = new Launch(context, stream, lock);
        this.scratch = device.createScratch(false);
        this.opened = new OpenStream(stream.address(), lock);
        this.captures = new QueueCapture(this, device, stream, lock);
    }

    /** Makes it ready for work, once it waits for memory that is not there yet, its own included. */
    void start() {
        give((to, recording) -> faults.reset(to));
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public Device device() {
        return device.device();
    }

    CudaDevice owner() {
        return device;
    }

    // ---- work ----

    /** Work under the queue's lock. */
    @FunctionalInterface
    interface Work {
        void on(CUstream stream, @Nullable Capture capture);
    }

    /** Gives work to the stream, which must be open. */
    void give(Work work) {
        lock.lock();
        try {
            requireOpen();
            work.on(stream, captures.current());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int capability() {
        return context.info().capability();
    }

    @Override
    public Launch launch(KernelFunction function) {
        return launch(function, 0);
    }

    @Override
    public Launch launch(KernelFunction function, long scratchBytes) {
        CUfunction kernel = device.kernels().get(function);
        while (true) {
            Scratch small = begin(kernel, scratchBytes);
            if (small == null) {
                return launch;
            }
            small.grow(scratchBytes);
        }
    }

    /** Begins a launch; or gives the scratch memory that is too small, which grows without the queue's lock. */
    private @Nullable Scratch begin(CUfunction kernel, long scratchBytes) {
        lock.lock();
        boolean begun = false;
        try {
            requireOpen();
            Capture recording = captures.current();
            Scratch of = recording == null ? scratch : recording.scratch();
            if (!of.holds(scratchBytes)) {
                return of;
            }
            FaultRecord record = recording == null ? faults : recording.faults();
            if (scratchBytes > 0) {
                launch.lend(of.address());
            }
            launch.begin(kernel, record.address());
            begun = true;
            return null;
        } finally {
            if (!begun) {
                lock.unlock();
            }
        }
    }

    @Override
    public boolean copiesTiles() {
        return context.maps().isPresent();
    }

    @Override
    public int units() {
        return context.info().units();
    }

    @Override
    public void submit(CudaTask task) {
        give((to, recording) -> {
            context.enter("submit");
            task.run(stream.address());
        });
    }

    @Override
    public CudaStream enter(long scratchBytes) {
        while (true) {
            Scratch small = tryEnter(scratchBytes);
            if (small == null) {
                return opened;
            }
            small.grow(scratchBytes);
        }
    }

    /** Opens the stream; or gives the scratch memory that is too small, which grows without the queue's lock. */
    private @Nullable Scratch tryEnter(long scratchBytes) {
        lock.lock();
        boolean begun = false;
        try {
            requireOpen();
            Capture recording = captures.current();
            Scratch of = recording == null ? scratch : recording.scratch();
            if (!of.holds(scratchBytes)) {
                return of;
            }
            context.enter("enter");
            opened.begin(of.address());
            begun = true;
            return null;
        } finally {
            if (!begun) {
                lock.unlock();
            }
        }
    }

    @Override
    public CudaContext context() {
        return device;
    }

    @Override
    public void uses(Tensor... tensors) {
        if (capturing()) {
            for (Tensor t : tensors) {
                captures.note(recording -> recording.uses(t.memory()));
            }
        }
    }

    @Override
    public void noteOwner(KernelOwner owner) {
        captures.note(recording -> recording.owner(owner));
    }

    // ---- waiting ----

    @Override
    public void synchronize() {
        refuseInCapture("synchronize");
        if (!uses.enter()) {
            throw closedError();
        }
        try {
            requireOpen();
            context.synchronize(stream, "synchronize");
            String fault = takeFault();
            if (fault != null) {
                throw new VtException(
                        ErrorCode.KERNEL_FAILED,
                        this + ": a task failed: " + fault,
                        VtException.invalidArgument(fault));
            }
        } finally {
            uses.exit();
        }
    }

    private @Nullable String takeFault() {
        lock.lock();
        try {
            String fault = faults.take();
            if (fault != null && captures.current() == null) {
                faults.reset(stream);
            }
            return fault;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void record(Event event) {
        CudaEvent own = CudaEvent.of(this, event);
        refuseInCapture("record");
        own.use(handle -> give((to, recording) -> {
            refuseInCapture("record");
            context.record(handle, to);
        }));
    }

    @Override
    public void waitFor(Event event) {
        CudaEvent own = CudaEvent.of(this, event);
        refuseInCapture("waitFor");
        own.use(handle -> give((to, recording) -> {
            refuseInCapture("waitFor");
            context.await(to, handle);
        }));
    }

    /** Lets later work wait for an event; false while a capture is on, which can't. */
    boolean await(CUevent event) {
        lock.lock();
        try {
            if (closed.get()) {
                return true;
            }
            if (captures.current() != null) {
                return false;
            }
            context.await(stream, event);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets another stream wait for all work accepted so far. */
    void joinInto(CUstream other) {
        lock.lock();
        try {
            if (!closed.get()) {
                context.await(other, fence());
            }
        } finally {
            lock.unlock();
        }
    }

    /** The event behind all accepted work; the caller holds the lock. */
    CUevent fence() {
        if (captures.current() == null) {
            context.record(fence, stream);
        }
        return fence;
    }

    /** Blocks until all work accepted so far is done. */
    void awaitAccepted() {
        if (!uses.enter()) {
            return;
        }
        try {
            lock.lock();
            try {
                if (closed.get() || context.state().failed()) {
                    return;
                }
                fence();
            } finally {
                lock.unlock();
            }
            context.synchronize(fence);
        } finally {
            uses.exit();
        }
    }

    // ---- captures ----

    @Override
    public boolean capturing() {
        return captures.current() != null;
    }

    @Override
    public void beginCapture() {
        captures.begin();
    }

    @Override
    public Graph endCapture() {
        return captures.end();
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

    /** Gives a graph to the stream between two kernels that take faults over; {@code between} launches it. */
    void replay(FaultRecord of, Work between) {
        FaultCarrier carrier = device.carrier();
        CUfunction enter = device.kernels().get(carrier.enter());
        CUfunction leave = device.kernels().get(carrier.leave());
        lock.lock();
        try {
            requireOpen();
            refuseInCapture("replay");
            launch.begin(enter, faults.address()).address(of.address()).run(1, 1);
            between.on(stream, null);
            launch.begin(leave, faults.address()).address(of.address()).run(1, 1);
        } finally {
            lock.unlock();
        }
    }

    /** Ends a capture of the calling thread and throws; else does nothing. */
    void refuseInCaptureOfCaller(String what) {
        captures.refuseOfCaller(what);
    }

    void refuseInCapture(String what) {
        captures.refuse(what);
    }

    // ---- the end ----

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        captures.abandon(null);
        if (!context.state().failed()) {
            context.synchronize(stream, "close");
            String unreported = takeFault();
            if (unreported != null) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0}: closed with a failure that nobody asked for: {1}",
                        this,
                        unreported);
            }
        }
        closeGraph(stored.getAndSet(null));
        device.left(this);
        uses.exit();
    }

    private void release() {
        context.destroyEvent(fence);
        context.destroyStream(stream);
        faults.free();
        scratch.free();
        launch.free();
    }

    private static void closeGraph(@Nullable Graph graph) {
        if (graph != null) {
            graph.close();
        }
    }

    void requireOpen() {
        if (closed.get()) {
            throw closedError();
        }
    }

    private VtException closedError() {
        return VtException.closed(this + ": the queue is closed");
    }

    @Override
    public String toString() {
        return "queue " + id + " of " + device.device();
    }
}
