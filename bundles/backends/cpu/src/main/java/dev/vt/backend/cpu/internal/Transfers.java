package dev.vt.backend.cpu.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.backend.cpu.CpuTask;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Fills and copies in the order of a queue. Everything is checked before anything is queued. Host memory that the
 * queue's thread can't use, or that may change once the call has returned, goes through a copy. Holds no state; any
 * thread may call it.
 */
final class Transfers {
    /** What one thread moves in about 30 microseconds; less is not worth a hand-over. */
    private static final long GRAIN = 1L << 20;

    private final Device device;

    Transfers(Device device) {
        this.device = device;
    }

    void memset(Queue queue, Memory memory, long offset, byte value, long bytes) {
        TaskQueue target = own(queue, "memset");
        MemorySegment to = writable("memset", "memory", memory, offset, bytes);
        submit(
                target,
                bytes,
                workers -> workers.forRange(
                        bytes,
                        GRAIN,
                        (from, end) -> to.asSlice(from, end - from).fill(value)),
                memory);
    }

    void copy(Queue queue, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {
        TaskQueue target = own(queue, "copy");
        MemorySegment destination = writable("copy", "to", to, toOffset, bytes);
        MemorySegment source = range("copy", "from", from, fromOffset, bytes);
        submit(target, bytes, copyTask(destination, source), to, from);
    }

    void upload(Queue queue, Memory to, long toOffset, MemorySegment from) {
        TaskQueue target = own(queue, "upload");
        MemorySegment destination = writable("upload", "to", to, toOffset, from.byteSize());
        requireUsable("upload", from);
        // Heap memory may change, and a confined arena may close, as soon as this has returned.
        MemorySegment source = from.isNative() && target.reaches(from) ? from : snapshot(from);
        submit(target, from.byteSize(), copyTask(destination, source), to);
    }

    void download(Queue queue, MemorySegment to, Memory from, long fromOffset) {
        TaskQueue target = own(queue, "download");
        requireUsable("download", to);
        if (to.isReadOnly()) {
            throw refuse("download", "the target segment is read-only");
        }
        MemorySegment source = range("download", "from", from, fromOffset, to.byteSize());
        if (target.reaches(to)) {
            submit(target, to.byteSize(), copyTask(to, source), from);
        } else {
            downloadConfined(target, to, source);
        }
    }

    /** Only the calling thread can write the target, so it waits for the bytes and writes them. */
    private void downloadConfined(TaskQueue queue, MemorySegment to, MemorySegment from) {
        queue.refuseInTask("download into a confined arena");
        queue.refuseInCapture("download into a confined arena");
        MemorySegment between = scratch(to.byteSize());
        boolean[] done = new boolean[1];
        queue.submit(workers -> {
            between.copyFrom(from);
            done[0] = true;
        });
        queue.awaitMark();
        if (done[0]) {
            to.copyFrom(between);
        }
    }

    private static CpuTask copyTask(MemorySegment to, MemorySegment from) {
        if (to.asOverlappingSlice(from).isPresent()) {
            // In one piece: the order of the bytes matters.
            return workers -> to.copyFrom(from);
        }
        long bytes = from.byteSize();
        return workers ->
                workers.forRange(bytes, GRAIN, (start, end) -> MemorySegment.copy(from, start, to, start, end - start));
    }

    private static void submit(TaskQueue queue, long bytes, CpuTask task, Memory... used) {
        if (bytes == 0) {
            return;
        }
        for (Memory memory : used) {
            queue.uses(memory);
        }
        queue.submit(task);
    }

    private TaskQueue own(Queue queue, String what) {
        Objects.requireNonNull(queue, "queue");
        if (!(queue instanceof TaskQueue own) || !queue.device().equals(device)) {
            throw refuse(what, "expected a queue of this backend, given one of " + queue.device());
        }
        return own;
    }

    private MemorySegment writable(String what, String argument, Memory memory, long offset, long bytes) {
        MemorySegment slice = range(what, argument, memory, offset, bytes);
        if (slice.isReadOnly()) {
            throw refuse(what, argument + ": memory block " + memory.id() + " is read-only");
        }
        return slice;
    }

    private MemorySegment range(String what, String argument, Memory memory, long offset, long bytes) {
        if (!memory.device().equals(device) || !memory.hostAddressable()) {
            throw refuse(
                    what,
                    argument + ": expected memory of " + device + ", given memory block " + memory.id() + " of "
                            + memory.device());
        }
        MemorySegment segment = memory.segment();
        if (offset < 0 || bytes < 0 || offset > segment.byteSize() - bytes) {
            throw refuse(
                    what,
                    argument + ": expected bytes inside memory block " + memory.id() + " of " + segment.byteSize()
                            + " bytes, given " + bytes + " bytes from " + offset + " on");
        }
        return segment.asSlice(offset, bytes);
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

    private MemorySegment snapshot(MemorySegment from) {
        return scratch(from.byteSize()).copyFrom(from);
    }

    private MemorySegment scratch(long bytes) {
        try {
            // The heap where it fits: garbage collection is cheaper there than for native memory.
            return bytes <= 1 << 30
                    ? MemorySegment.ofArray(new byte[(int) bytes])
                    : Arena.ofAuto().allocate(bytes, Long.BYTES);
        } catch (OutOfMemoryError e) {
            throw new VtException(
                    ErrorCode.OUT_OF_MEMORY, sentence("staging", "no room for a copy of " + bytes + " bytes"), e);
        }
    }

    private VtException refuse(String what, String why) {
        return VtException.invalidArgument(sentence(what, why));
    }

    private String sentence(String what, String why) {
        return "backend cpu of " + device + ": " + what + ": " + why;
    }
}
