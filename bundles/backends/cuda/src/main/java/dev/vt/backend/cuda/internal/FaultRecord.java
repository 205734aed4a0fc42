package dev.vt.backend.cuda.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/**
 * Where kernels report a fault that only their data shows. A flag in device memory makes every later kernel that is given this
 * record do nothing, which is how a failed queue discards work; what was wrong lies in page-locked host memory, which the
 * host reads once the stream is synchronized. A queue has one, and each graph has one of its own, since it may be replayed
 * on any queue. Its owner sees to it that one thread at a time calls it.
 */
final class FaultRecord {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /** Host memory: site, index, low, high, given; then, on a cache line of its own, what the device's part starts as. */
    private static final long BYTES = 128;

    private static final long IMAGE = 64;

    /** Flag and padding, then the address of the host's part. */
    private static final long IMAGE_BYTES = 16;

    private final DeviceContext context;
    private final DeviceHeap heap;
    private final PinnedPool pinned;
    private final long device;
    private final long host;
    private final MemorySegment view;

    FaultRecord(DeviceContext context, DeviceHeap heap, PinnedPool pinned) {
        this.context = context;
        this.heap = heap;
        this.pinned = pinned;
        this.host = pinned.take(BYTES);
        this.device = host == 0 ? 0 : heap.allocate(IMAGE_BYTES);
        if (device == 0) {
            pinned.give(host, BYTES);
            throw new VtException(
                    ErrorCode.OUT_OF_MEMORY,
                    "backend cuda of " + context.state().device()
                            + ": no memory is left for the record of a queue's faults");
        }
        view = MemorySegment.ofAddress(host).reinterpret(BYTES);
        view.fill((byte) 0);
        view.set(LONG, IMAGE + LONG.byteSize(), host);
    }

    /** What kernels are given. */
    long address() {
        return device;
    }

    /** Clears the flag in the order of a stream. */
    void reset(CUstream stream) {
        context.upload(device, host + IMAGE, IMAGE_BYTES, stream);
    }

    /** The sentence of the first fault since the last call, or null; the stream must be synchronized. */
    @Nullable
    String take() {
        long site = view.getAtIndex(LONG, 0);
        if (site == 0) {
            return null;
        }
        view.setAtIndex(LONG, 0, 0);
        return FaultSite.sentence(
                (int) site,
                context.state().device(),
                view.getAtIndex(LONG, 1),
                view.getAtIndex(LONG, 2),
                view.getAtIndex(LONG, 3),
                view.getAtIndex(LONG, 4));
    }

    /** Frees it; nothing that was given it may still run. */
    void free() {
        heap.free(device);
        pinned.give(host, BYTES);
    }
}
