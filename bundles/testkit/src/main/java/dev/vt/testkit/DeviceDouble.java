package dev.vt.testkit;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Event;
import dev.vt.api.device.Memory;
import dev.vt.api.device.MemoryUse;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuTask;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A backend of a device that no machine has, over a real CPU backend of its own: memory is real, queues are asynchronous, events
 * and graphs work. It can be made to defer its work until it is flushed, to hide its memory from the host, to have little pinned
 * memory, and to fail; and it counts and keeps a journal of what is done to it. Kernels for it cast their queue to
 * {@link dev.vt.backend.cpu.CpuQueue}. Whoever opens it closes it; any thread may use it.
 */
public final class DeviceDouble implements Backend, AutoCloseable {
    private static final Logger LOG = System.getLogger(DeviceDouble.class.getName());

    private final CpuBackend inner = new CpuBackend(1);
    private final Builder as;
    private final Device device;
    private final Set<DoubleQueue> queues = ConcurrentHashMap.newKeySet();
    private final List<String> journal = new CopyOnWriteArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicLong launches = new AtomicLong();
    private final AtomicLong allocations = new AtomicLong();
    private final AtomicLong frees = new AtomicLong();
    private final AtomicLong usesAfterFree = new AtomicLong();
    private final AtomicLong flushes = new AtomicLong();
    private final AtomicLong unflushedWaits = new AtomicLong();
    private final AtomicLong pinnedBytes = new AtomicLong();
    private final AtomicLong pinnedFallbacks = new AtomicLong();
    private volatile ProviderCaps caps;

    private DeviceDouble(Builder as) {
        this.as = new Builder(as);
        this.device = Device.of(as.type, as.index);
        this.caps = as.caps == null
                ? new ProviderCaps(device, true, 1, 0, 1, 0)
                : new ProviderCaps(
                        device, as.caps.valid(), as.caps.major(), as.caps.minor(), as.caps.units(), as.caps.features());
    }

    /**
     * What was done to a device.
     *
     * @param allocations blocks made
     * @param frees blocks given back
     * @param usesAfterFree blocks handed in after they were closed
     * @param flushes calls of {@link Backend#flushPending}
     * @param unflushedWaits times that a queue was waited for while it still held deferred work
     */
    public record Counts(long allocations, long frees, long usesAfterFree, long flushes, long unflushedWaits) {}

    public Counts counts() {
        return new Counts(allocations.get(), frees.get(), usesAfterFree.get(), flushes.get(), unflushedWaits.get());
    }

    /** What was closed, in order: {@code "queue 3"}, {@code "memory 7"}, {@code "backend"}. */
    public List<String> journal() {
        return List.copyOf(journal);
    }

    /** The bytes of a block as the device sees them, whatever the host may see. */
    public MemorySegment reveal(Memory memory) {
        return open(memory).segment();
    }

    /** The same tensor over memory that CPU kernels and tests can read. */
    public Tensor reveal(Tensor t) {
        return Tensor.strided(open(t.memory()), t.offset(), t.dtype(), t.shape(), t.strides());
    }

    /** Changes what {@link #caps()} says; the registry sees it when it is published. */
    public void caps(ProviderCaps value) {
        caps = value;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public int priority() {
        return as.priority;
    }

    @Override
    public String name() {
        return as.name;
    }

    @Override
    public String description() {
        return "test double " + device;
    }

    @Override
    public String id() {
        return as.id == null ? "double-" + device.type() + "-" + device.index() : as.id;
    }

    @Override
    public ProviderCaps caps() {
        return caps;
    }

    @Override
    public List<String> featureNames() {
        return java.util.stream.IntStream.range(0, Long.SIZE)
                .filter(bit -> caps.has(1L << bit))
                .mapToObj(bit -> "bit" + bit)
                .toList();
    }

    @Override
    public boolean unifiedMemory() {
        return as.unified;
    }

    @Override
    public boolean hostAddressable() {
        return as.addressable;
    }

    @Override
    public Optional<String> hostAddressableNote() {
        return Optional.ofNullable(as.note);
    }

    @Override
    public boolean software() {
        return as.software;
    }

    @Override
    public boolean supportsGraphCapture() {
        return true;
    }

    @Override
    public Memory allocate(long bytes) {
        return DoubleMemory.ofDevice(this, block(bytes));
    }

    @Override
    public Memory allocatePinned(long bytes) {
        Memory block = block(bytes);
        if (pinnedBytes.addAndGet(bytes) <= as.pinnedLimit) {
            return DoubleMemory.ofHost(this, block, bytes);
        }
        pinnedBytes.addAndGet(-bytes);
        if (pinnedFallbacks.getAndIncrement() == 0) {
            LOG.log(
                    Level.WARNING,
                    "device {0}: no page-locked memory is left for {1} bytes (limit {2}): ordinary memory is used",
                    device,
                    bytes,
                    as.pinnedLimit);
        }
        return DoubleMemory.ofHost(this, block, 0);
    }

    private Memory block(long bytes) {
        requireOpen("allocate");
        if (attempts.incrementAndGet() == as.failingAllocation) {
            throw new VtException(
                    ErrorCode.OUT_OF_MEMORY,
                    "device " + device + ": allocate of " + bytes + " bytes: no memory is left");
        }
        Memory block = inner.allocate(bytes);
        allocations.incrementAndGet();
        return block;
    }

    /** Empty unless the host addresses the device's memory. */
    @Override
    public Optional<Memory> importHost(MemorySegment segment) {
        requireOpen("importHost");
        return as.addressable
                ? inner.importHost(segment).map(block -> {
                    allocations.incrementAndGet();
                    return DoubleMemory.ofDevice(this, block);
                })
                : Optional.empty();
    }

    @Override
    public void memset(Queue queue, Memory memory, long offset, byte value, long bytes) {
        DoubleQueue own = own(queue);
        Memory block = open(memory);
        own.enqueue(() -> inner.memset(own.inner(), block, offset, value, bytes));
    }

    @Override
    public void copy(Queue queue, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {
        DoubleQueue own = own(queue);
        Memory target = open(to);
        Memory source = open(from);
        own.enqueue(() -> inner.copy(own.inner(), target, toOffset, source, fromOffset, bytes));
    }

    /** The source is read before this returns. */
    @Override
    public void upload(Queue queue, Memory to, long toOffset, MemorySegment from) {
        DoubleQueue own = own(queue);
        Memory target = open(to);
        MemorySegment copy =
                own.defers() ? MemorySegment.ofArray(from.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)) : from;
        own.enqueue(() -> inner.upload(own.inner(), target, toOffset, copy));
    }

    /** Deferred work is submitted first, so a download is not deferred itself. */
    @Override
    public void download(Queue queue, MemorySegment to, Memory from, long fromOffset) {
        DoubleQueue own = own(queue);
        own.flush();
        inner.download(own.inner(), to, open(from), fromOffset);
    }

    @Override
    public DoubleQueue createQueue() {
        requireOpen("createQueue");
        DoubleQueue queue = new DoubleQueue(this, inner.createQueue(), as.deferred);
        queues.add(queue);
        return queue;
    }

    @Override
    public Event createEvent(boolean blocking) {
        requireOpen("createEvent");
        return new DoubleEvent(device, inner.createEvent(blocking));
    }

    @Override
    public void flushPending() {
        flushes.incrementAndGet();
        flushQueues();
    }

    private void flushQueues() {
        queues.forEach(DoubleQueue::flush);
    }

    @Override
    public void drain() {
        flushQueues();
        inner.drain();
    }

    @Override
    public MemoryUse memoryUse() {
        MemoryUse use = inner.memoryUse();
        return new MemoryUse(use.bytes(), use.blocks(), pinnedBytes.get(), pinnedFallbacks.get(), use.queues());
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            queues.forEach(DoubleQueue::close);
            inner.close();
            journal.add("backend");
        }
    }

    /** A block's real memory; memory of other backends of the host passes as it is. */
    private Memory open(Memory memory) {
        if (!(memory instanceof DoubleMemory own)) {
            return memory;
        }
        if (own.owner() != this) {
            throw VtException.invalidArgument("device " + device + ": expected memory of this device, given block "
                    + own.id() + " of " + own.device());
        }
        if (own.closed()) {
            usesAfterFree.incrementAndGet();
        }
        return own.inner();
    }

    private DoubleQueue own(Queue queue) {
        requireOpen("a transfer");
        if (!(queue instanceof DoubleQueue own) || !own.device().equals(device)) {
            throw VtException.invalidArgument(
                    "device " + device + ": expected a queue of this device, given one of " + queue.device());
        }
        return own;
    }

    private void requireOpen(String what) {
        if (closed.get()) {
            throw VtException.closed("device " + device + ": " + what + ": the backend is closed");
        }
    }

    void freeing(long pinned, long id) {
        flushQueues();
        pinnedBytes.addAndGet(-pinned);
        frees.incrementAndGet();
        journal.add("memory " + id);
    }

    /** What a queue runs in the place of a kernel's task; the launch itself may fail. */
    CpuTask launching(CpuTask task) {
        long n = launches.incrementAndGet();
        if (n == as.failingLaunch) {
            throw new VtException(ErrorCode.KERNEL_FAILED, "device " + device + ": launch " + n + " failed");
        }
        return n != as.failingTask
                ? task
                : workers -> {
                    throw new VtException(ErrorCode.KERNEL_FAILED, "device " + device + ": task " + n + " failed");
                };
    }

    void left(DoubleQueue queue) {
        queues.remove(queue);
        journal.add("queue " + queue.id());
    }

    void waitedUnflushed() {
        unflushedWaits.incrementAndGet();
    }

    /** Describes a device; not thread-safe. */
    public static final class Builder {
        private final DeviceType type;
        private int index;
        private String name;
        private @Nullable String id;
        private int priority;
        private boolean unified;
        private boolean addressable;
        private @Nullable String note;
        private boolean software;
        private boolean deferred;
        private long pinnedLimit = Long.MAX_VALUE;
        private long failingAllocation;
        private long failingLaunch;
        private long failingTask;
        private @Nullable String openFailure;
        private @Nullable ProviderCaps caps;

        Builder(DeviceType type) {
            this.type = type;
            this.name = type.name() + "-double";
        }

        private Builder(Builder other) {
            type = other.type;
            index = other.index;
            name = other.name;
            id = other.id;
            priority = other.priority;
            unified = other.unified;
            addressable = other.addressable;
            note = other.note;
            software = other.software;
            deferred = other.deferred;
            pinnedLimit = other.pinnedLimit;
            failingAllocation = other.failingAllocation;
            failingLaunch = other.failingLaunch;
            failingTask = other.failingTask;
            openFailure = other.openFailure;
            caps = other.caps;
        }

        /** The same traits under another type, such as a real one that this machine lacks. */
        public Builder type(DeviceType value) {
            Builder b = new Builder(value);
            b.unified = unified;
            b.addressable = addressable;
            return b;
        }

        public Builder index(int value) {
            index = value;
            return this;
        }

        public Builder name(String value) {
            name = value;
            return this;
        }

        /** The stable identity of the physical device. */
        public Builder id(String value) {
            id = value;
            return this;
        }

        public Builder priority(int value) {
            priority = value;
            return this;
        }

        public Builder unifiedMemory(boolean value) {
            unified = value;
            return this;
        }

        public Builder hostAddressable(boolean value) {
            addressable = value;
            return this;
        }

        /** Why the host can't address the memory. */
        public Builder hostAddressableNote(String value) {
            note = value;
            return this;
        }

        public Builder software(boolean value) {
            software = value;
            return this;
        }

        /** Work is kept back until {@link Backend#flushPending}, or until something waits for it. */
        public Builder deferred(boolean value) {
            deferred = value;
            return this;
        }

        /** Bytes of page-locked memory that there are. */
        public Builder pinnedLimit(long bytes) {
            pinnedLimit = bytes;
            return this;
        }

        /** The n-th allocation, from 1 on, finds no memory; those after it do. */
        public Builder failingAllocation(long n) {
            failingAllocation = n;
            return this;
        }

        /** The n-th task that a kernel hands to a queue, from 1 on, is refused: the kernel's call throws. */
        public Builder failingLaunch(long n) {
            failingLaunch = n;
            return this;
        }

        /** The n-th task that a kernel hands to a queue, from 1 on, fails when it runs, and its queue with it. */
        public Builder failingTask(long n) {
            failingTask = n;
            return this;
        }

        /** Opening fails with this reason. */
        public Builder openFails(String reason) {
            openFailure = reason;
            return this;
        }

        /** Capabilities; the device in them is replaced. */
        public Builder caps(ProviderCaps value) {
            caps = value;
            return this;
        }

        public DeviceDouble open() {
            if (openFailure != null) {
                throw VtException.unsupported("device " + type + ":" + index + ": can't be opened: " + openFailure);
            }
            return new DeviceDouble(this);
        }
    }
}
