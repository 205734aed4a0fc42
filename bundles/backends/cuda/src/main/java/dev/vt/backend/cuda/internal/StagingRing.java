package dev.vt.backend.cuda.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import jcuda.driver.CUevent;

/**
 * Page-locked memory that transfers of ordinary host memory go through, in pieces: the driver copies from and to such memory
 * eight times as fast, and the call need not wait for the device. The pieces are used in turn, each again once its last copy
 * is done. Any thread may call it; one transfer at a time uses it.
 */
final class StagingRing implements AutoCloseable {
    private static final int SLOTS = 4;

    private final DeviceContext context;
    private final PinnedPool pinned;
    private final long slotBytes;
    private final boolean sleeping;
    private final CUevent[] done = new CUevent[SLOTS];
    private final ReentrantLock lock = new ReentrantLock();
    private long address;
    private int next;

    StagingRing(DeviceContext context, PinnedPool pinned, long slotBytes, boolean sleeping) {
        this.context = context;
        this.pinned = pinned;
        this.slotBytes = slotBytes;
        this.sleeping = sleeping;
    }

    /** Copies host memory to an address of the device. The source is read before this returns. */
    void upload(StreamQueue queue, long to, MemorySegment from) {
        lock.lock();
        try {
            open();
            for (long at = 0; at < from.byteSize(); at += slotBytes) {
                long bytes = Math.min(slotBytes, from.byteSize() - at);
                long target = to + at;
                int slot = acquire();
                slot(slot, bytes).copyFrom(from.asSlice(at, bytes));
                queue.give((stream, capture) -> {
                    queue.refuseInCapture("upload");
                    context.upload(target, slotAddress(slot), bytes, stream);
                    context.record(done[slot], stream);
                });
            }
        } finally {
            lock.unlock();
        }
    }

    /** Copies from an address of the device to host memory; the bytes are there when this returns. */
    void download(StreamQueue queue, MemorySegment to, long from) {
        lock.lock();
        try {
            open();
            long pieces = Math.ceilDiv(to.byteSize(), slotBytes);
            int current = ask(queue, from, 0, to.byteSize());
            for (long i = 0; i < pieces; i++) {
                // The device copies the next piece while the host copies this one.
                int following = i + 1 < pieces ? ask(queue, from, i + 1, to.byteSize()) : current;
                long bytes = Math.min(slotBytes, to.byteSize() - i * slotBytes);
                context.synchronize(done[current]);
                to.asSlice(i * slotBytes, bytes).copyFrom(slot(current, bytes));
                current = following;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets the device copy a piece to a slot, and returns which. */
    private int ask(StreamQueue queue, long from, long piece, long total) {
        long at = piece * slotBytes;
        long bytes = Math.min(slotBytes, total - at);
        int slot = acquire();
        queue.give((stream, capture) -> {
            queue.refuseInCapture("download");
            context.download(slotAddress(slot), from + at, bytes, stream);
            context.record(done[slot], stream);
        });
        return slot;
    }

    private int acquire() {
        int slot = next;
        next = (next + 1) % SLOTS;
        context.synchronize(done[slot]);
        return slot;
    }

    private void open() {
        if (address != 0) {
            return;
        }
        long got = pinned.take(slotBytes * SLOTS);
        if (got == 0) {
            throw new VtException(
                    ErrorCode.OUT_OF_MEMORY,
                    "backend cuda of " + context.state().device() + ": no page-locked memory is left for transfers ("
                            + slotBytes * SLOTS + " bytes)");
        }
        for (int i = 0; i < SLOTS; i++) {
            done[i] = context.createEvent(sleeping);
        }
        address = got;
    }

    private long slotAddress(int slot) {
        return address + slot * slotBytes;
    }

    private MemorySegment slot(int slot, long bytes) {
        return MemorySegment.ofAddress(slotAddress(slot)).reinterpret(bytes);
    }

    /** Frees it; no transfer may be under way. */
    @Override
    public void close() {
        if (address != 0) {
            for (CUevent event : done) {
                context.destroyEvent(event);
            }
            pinned.give(address, slotBytes * SLOTS);
            address = 0;
        }
    }
}
