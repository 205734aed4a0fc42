package dev.vt.backend.cpu.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one backend. Each block has a shared arena of its own, so that a use of freed memory is an exception
 * and never a crash. Blocks are freed after the work that was queued before the close. Any thread may call it.
 */
final class MemoryPool implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(MemoryPool.class.getName());

    /** A cache line, and the widest vector. */
    private static final long ALIGNMENT = 64;

    /** No machine of today has a larger address space for a process. */
    private static final long LARGEST = 1L << 47;

    private final Device device;
    private final QueueSet queues;
    private final OpenBlocks open;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong blocks = new AtomicLong();
    private volatile boolean closed;

    MemoryPool(Device device, QueueSet queues, OpenBlocks open) {
        this.device = device;
        this.queues = queues;
        this.open = open;
    }

    CpuMemory allocate(long size) {
        String what = "allocate of " + size + " bytes";
        if (size < 0) {
            throw VtException.invalidArgument("backend cpu of " + device + ": " + what + ": expected 0 or more");
        }
        requireOpen(what);
        queues.refuseInCapture(what);
        Arena arena = Arena.ofShared();
        MemorySegment segment = reserve(arena, size, what);
        bytes.addAndGet(size);
        blocks.incrementAndGet();
        return admit(new CpuMemory(device, segment, block -> release(block, arena)), what);
    }

    /** Wraps memory that all threads can read; else empty. */
    Optional<CpuMemory> wrap(MemorySegment segment) {
        String what = "importHost of " + segment.byteSize() + " bytes";
        requireOpen(what);
        if (!segment.scope().isAlive()) {
            throw VtException.closed("backend cpu of " + device + ": " + what + ": the segment's arena is closed");
        }
        // A confined arena's memory is out of reach for queues; heap memory moves and has no alignment to rely on. The
        // thread is never started: it stands for any thread but the caller's.
        boolean usable = segment.isNative() && segment.isAccessibleBy(new Thread(() -> {}));
        return usable
                ? Optional.of(admit(new CpuMemory(device, segment, block -> release(block, null)), what))
                : Optional.empty();
    }

    long bytes() {
        return bytes.get();
    }

    long blocks() {
        return blocks.get();
    }

    @Override
    public void close() {
        closed = true;
        open.closeAll();
    }

    private MemorySegment reserve(Arena arena, long size, String what) {
        if (size > LARGEST) {
            arena.close();
            throw outOfMemory(what + ": no process can have so much", null);
        }
        try {
            // An empty block gets bytes too, so that its address is its own.
            return arena.allocate(Math.max(size, ALIGNMENT), ALIGNMENT).asSlice(0, size);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw outOfMemory(
                    what + ": the process has no room for it (" + bytes + " bytes are in use;"
                            + " -XX:MaxDirectMemorySize sets the limit)",
                    e);
        }
    }

    private VtException outOfMemory(String what, @Nullable Throwable cause) {
        return new VtException(ErrorCode.OUT_OF_MEMORY, "backend cpu of " + device + ": " + what, cause);
    }

    private CpuMemory admit(CpuMemory block, String what) {
        open.add(block);
        if (closed) {
            block.close();
            requireOpen(what);
        }
        return block;
    }

    private void requireOpen(String what) {
        if (closed) {
            throw VtException.closed("backend cpu of " + device + ": " + what + ": the backend is closed");
        }
    }

    private void release(CpuMemory block, @Nullable Arena arena) {
        Fence freed = queues.afterPending(() -> free(block, arena));
        // A task must not wait for its own queue; the block goes when the task is done.
        if (!CpuThread.isCurrent()) {
            freed.await();
        }
    }

    private void free(CpuMemory block, @Nullable Arena arena) {
        open.remove(block);
        if (arena == null) {
            return;
        }
        try {
            arena.close();
            bytes.addAndGet(-block.size());
            blocks.decrementAndGet();
        } catch (IllegalStateException e) {
            // Native code outside the queues holds it: keeping the bytes is right, freeing them under it is not.
            LOG.log(System.Logger.Level.WARNING, block + ": not freed, since native code still uses it", e);
        }
    }
}
