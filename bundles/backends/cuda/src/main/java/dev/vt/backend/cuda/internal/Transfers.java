package dev.vt.backend.cuda.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/**
 * Fills and copies in the order of a queue. Everything is checked before anything is given to the stream. Page-locked memory
 * is copied from and to directly, large parts of a mapped file too; all other host memory goes through a {@link StagingRing}, so an upload has read its source
 * and a download has the bytes when the call returns. Any thread may call it.
 */
final class Transfers implements AutoCloseable {
    /** Small transfers, such as token ids, have a ring of their own: they never wait behind a large one, and a wait spins. */
    private static final long SMALL = 64 << 10;

    /** Two of these keep the bus busy: a copy of one takes 150 microseconds. */
    private static final long LARGE = 8L << 20;

    private final Device device;
    private final DeviceContext context;
    private final PinnedPool pinned;
    private final StagingRing small;
    private final StagingRing large;
    private final MappedUpload mapped;

    Transfers(Device device, DeviceContext context, PinnedPool pinned) {
        this.device = device;
        this.context = context;
        this.pinned = pinned;
        this.small = new StagingRing(context, pinned, SMALL, false);
        this.large = new StagingRing(context, pinned, LARGE, true);
        this.mapped = new MappedUpload(context, large);
    }

    void memset(Queue queue, Memory memory, long offset, byte value, long bytes) {
        StreamQueue target = own(queue, "memset");
        long address = onDevice("memset", "memory", memory, offset, bytes);
        if (bytes > 0) {
            target.give((stream, capture) -> {
                note(capture, memory);
                context.memset(address, value, bytes, stream);
            });
        }
    }

    void copy(Queue queue, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {
        StreamQueue target = own(queue, "copy");
        boolean toDevice = to instanceof DeviceMemory;
        boolean fromDevice = from instanceof DeviceMemory;
        if (toDevice && fromDevice) {
            long destination = onDevice("copy", "to", to, toOffset, bytes);
            long source = onDevice("copy", "from", from, fromOffset, bytes);
            requireApart(from, destination, source, bytes);
            give(target, bytes, to, from, stream -> context.copy(destination, source, bytes, stream));
        } else if (toDevice) {
            copyUp(target, to, toOffset, from, fromOffset, bytes);
        } else if (fromDevice) {
            copyDown(target, to, toOffset, from, fromOffset, bytes);
        } else {
            copyOnHost(
                    target, onHost("copy", "to", to, toOffset, bytes), onHost("copy", "from", from, fromOffset, bytes));
        }
    }

    private void copyUp(StreamQueue target, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {
        long destination = onDevice("copy", "to", to, toOffset, bytes);
        MemorySegment source = onHost("copy", "from", from, fromOffset, bytes);
        if (locked(from)) {
            give(target, bytes, to, from, stream -> context.upload(destination, source.address(), bytes, stream));
        } else {
            upload(target, to, destination, source);
        }
    }

    private void copyDown(StreamQueue target, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {
        long source = onDevice("copy", "from", from, fromOffset, bytes);
        MemorySegment destination = onHost("copy", "to", to, toOffset, bytes);
        requireWritable("copy", destination);
        if (locked(to)) {
            give(target, bytes, to, from, stream -> context.download(destination.address(), source, bytes, stream));
        } else {
            download(target, destination, source);
        }
    }

    /** No device takes part, so the host copies once the queue has done what came before. */
    private static void copyOnHost(StreamQueue target, MemorySegment to, MemorySegment from) {
        target.refuseInCapture("copy from host to host");
        requireWritable("copy", to);
        target.awaitAccepted();
        to.copyFrom(from);
    }

    void upload(Queue queue, Memory to, long toOffset, MemorySegment from) {
        StreamQueue target = own(queue, "upload");
        long destination = onDevice("upload", "to", to, toOffset, from.byteSize());
        requireUsable("upload", from);
        upload(target, to, destination, from);
    }

    private void upload(StreamQueue target, Memory to, long destination, MemorySegment from) {
        if (from.byteSize() == 0) {
            return;
        }
        if (target.capturing()) {
            recordUpload(target, to, destination, from);
        } else if (MappedUpload.takes(from)) {
            mapped.upload(target, destination, from);
        } else {
            ring(from.byteSize()).upload(target, destination, from);
        }
    }

    /** The graph keeps a copy of the source for its replays. */
    private void recordUpload(StreamQueue target, Memory to, long destination, MemorySegment from) {
        long bytes = from.byteSize();
        long copy = pinned.take(bytes);
        if (copy == 0) {
            throw new VtException(
                    ErrorCode.OUT_OF_MEMORY,
                    sentence("upload", "no page-locked memory is left for the graph's copy of " + bytes + " bytes"));
        }
        MemorySegment.ofAddress(copy).reinterpret(bytes).copyFrom(from);
        boolean[] kept = new boolean[1];
        try {
            target.give((stream, capture) -> {
                if (capture == null) {
                    throw VtException.invalidArgument(sentence("upload", "the capture has ended meanwhile"));
                }
                capture.uses(to);
                capture.releaseWith(() -> pinned.give(copy, bytes));
                kept[0] = true;
                context.upload(destination, copy, bytes, stream);
            });
        } finally {
            if (!kept[0]) {
                pinned.give(copy, bytes);
            }
        }
    }

    void download(Queue queue, MemorySegment to, Memory from, long fromOffset) {
        StreamQueue target = own(queue, "download");
        requireUsable("download", to);
        requireWritable("download", to);
        long source = onDevice("download", "from", from, fromOffset, to.byteSize());
        download(target, to, source);
    }

    private void download(StreamQueue target, MemorySegment to, long source) {
        if (target.capturing()) {
            throw VtException.unsupported(target
                    + ": download: not possible during a capture; copy into page-locked memory"
                    + " (allocatePinned) instead");
        }
        if (to.byteSize() > 0) {
            ring(to.byteSize()).download(target, to, source);
        }
    }

    private StagingRing ring(long bytes) {
        return bytes <= SMALL ? small : large;
    }

    /** Work of the driver on a stream. */
    @FunctionalInterface
    private interface OnStream {
        void run(CUstream stream);
    }

    private static void give(StreamQueue target, long bytes, Memory to, Memory from, OnStream work) {
        if (bytes > 0) {
            target.give((stream, capture) -> {
                note(capture, to);
                note(capture, from);
                work.run(stream);
            });
        }
    }

    private static void note(@Nullable Capture capture, Memory memory) {
        if (capture != null) {
            capture.uses(memory);
        }
    }

    private StreamQueue own(Queue queue, String what) {
        Objects.requireNonNull(queue, "queue");
        if (!(queue instanceof StreamQueue own) || !queue.device().equals(device)) {
            throw refuse(what, "expected a queue of this backend, given one of " + queue.device());
        }
        return own;
    }

    /** Memory that the device copies from and to by itself. */
    private boolean locked(Memory memory) {
        return memory instanceof HostMemory host
                && host.pinned()
                && memory.device().equals(device);
    }

    private long onDevice(String what, String argument, Memory memory, long offset, long bytes) {
        if (!(memory instanceof DeviceMemory) || !memory.device().equals(device)) {
            throw refuse(
                    what,
                    argument + ": expected memory of " + device + ", given memory block " + memory.id() + " of "
                            + memory.device());
        }
        requireRange(what, argument, memory, offset, bytes);
        return memory.segment().address() + offset;
    }

    private MemorySegment onHost(String what, String argument, Memory memory, long offset, long bytes) {
        if (!memory.hostAddressable()) {
            throw refuse(
                    what,
                    argument + ": expected memory of " + device + " or of the host, given memory block " + memory.id()
                            + " of " + memory.device());
        }
        requireRange(what, argument, memory, offset, bytes);
        return memory.segment().asSlice(offset, bytes);
    }

    private void requireRange(String what, String argument, Memory memory, long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > memory.size() - bytes) {
            throw refuse(
                    what,
                    argument + ": expected bytes inside memory block " + memory.id() + " of " + memory.size()
                            + " bytes, given " + bytes + " bytes from " + offset + " on");
        }
    }

    /** The device copies in any order. */
    private void requireApart(Memory block, long to, long from, long bytes) {
        if (to < from + bytes && from < to + bytes) {
            throw refuse(
                    "copy", "the two ranges overlap in memory block " + block.id() + "; copy through another block");
        }
    }

    private void requireUsable(String what, MemorySegment host) {
        if (!host.scope().isAlive()) {
            throw VtException.closed(sentence(what, "the arena of the host segment is closed"));
        }
        if (!host.isAccessibleBy(Thread.currentThread())) {
            throw refuse(
                    what, "the host segment is confined to another thread; use a shared arena or call from its thread");
        }
    }

    private static void requireWritable(String what, MemorySegment host) {
        if (host.isReadOnly()) {
            throw VtException.invalidArgument("backend cuda: " + what + ": the target segment is read-only");
        }
    }

    private VtException refuse(String what, String why) {
        return VtException.invalidArgument(sentence(what, why));
    }

    private String sentence(String what, String why) {
        return "backend cuda of " + device + ": " + what + ": " + why;
    }

    @Override
    public void close() {
        mapped.close();
        small.close();
        large.close();
    }
}
