package dev.vt.backend.cuda.internal;

import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import jcuda.driver.CUevent;

/**
 * Uploads large parts of mapped files, such as the weights of a model, without a copy on the host: pages of the file are locked,
 * the device copies from them, and they are unlocked, piece by piece; while one piece is copied the next is locked. Seven times as
 * fast as through the staging ring, which takes the ends that are no whole pages, and all where the driver can't lock the file's pages.
 * Any thread may call it; one upload at a time uses it.
 */
final class MappedUpload implements AutoCloseable {
    /** Below this locking costs as much as it saves. */
    private static final long LEAST = 4L << 20;

    /** Copied in a millisecond, which is what the wait for the last piece costs. */
    private static final long PIECE = 64L << 20;

    private static final long PAGE = 4096;
    private static final int PIECES = 2;

    private final DeviceContext context;
    private final StagingRing ring;
    private final ReentrantLock lock = new ReentrantLock();
    private final CUevent[] done = new CUevent[PIECES];
    /** Address of the pages that are locked for a piece; 0 for none. */
    private final long[] locked = new long[PIECES];

    private boolean opened;

    MappedUpload(DeviceContext context, StagingRing ring) {
        this.context = context;
        this.ring = ring;
    }

    static boolean takes(MemorySegment from) {
        return from.isMapped() && from.byteSize() >= LEAST;
    }

    /** Copies a mapped segment to an address of the device. The source is read when this returns. */
    void upload(StreamQueue queue, long to, MemorySegment from) {
        long head = -from.address() & (PAGE - 1);
        long end = from.byteSize() - (from.address() + from.byteSize() & (PAGE - 1));
        ring.upload(queue, to, from.asSlice(0, head));
        long at;
        lock.lock();
        try {
            open();
            at = pages(queue, to, from, head, end);
        } finally {
            lock.unlock();
        }
        ring.upload(queue, to + at, from.asSlice(at));
    }

    /** Copies whole pages; gives where it had to stop. */
    private long pages(StreamQueue queue, long to, MemorySegment from, long head, long end) {
        long at = head;
        try {
            for (int slot = 0; at < end; slot = (slot + 1) % PIECES) {
                unlock(slot);
                long bytes = Math.min(PIECE, end - at);
                long source = from.address() + at;
                if (!context.lockPages(source, bytes)) {
                    return at;
                }
                locked[slot] = source;
                copy(queue, to + at, source, bytes, slot);
                at += bytes;
            }
        } finally {
            for (int slot = 0; slot < PIECES; slot++) {
                unlock(slot);
            }
        }
        return at;
    }

    private void copy(StreamQueue queue, long to, long from, long bytes, int slot) {
        queue.give((stream, capture) -> {
            queue.refuseInCapture("upload");
            context.upload(to, from, bytes, stream);
            context.record(done[slot], stream);
        });
    }

    /** Once the copy from them is done; an event that was never recorded is done. */
    private void unlock(int slot) {
        long address = locked[slot];
        if (address != 0) {
            locked[slot] = 0;
            try {
                context.synchronize(done[slot]);
            } finally {
                context.unlockPages(address);
            }
        }
    }

    private void open() {
        if (!opened) {
            for (int slot = 0; slot < PIECES; slot++) {
                done[slot] = context.createEvent(true);
            }
            opened = true;
        }
    }

    /** Frees the events; no upload may be under way. */
    @Override
    public void close() {
        if (opened) {
            for (CUevent event : done) {
                context.destroyEvent(event);
            }
            opened = false;
        }
    }
}
