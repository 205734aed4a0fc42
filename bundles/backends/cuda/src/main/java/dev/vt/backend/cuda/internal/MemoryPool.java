package dev.vt.backend.cuda.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Memory;
import dev.vt.api.device.MemoryUse;
import dev.vt.backend.cuda.internal.driver.DeviceState;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The blocks of one device, and how many bytes they have. Any thread may call it. */
final class MemoryPool implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.vt.backend.cuda");

    /** No machine of today has a larger address space for a process. */
    private static final long LARGEST = 1L << 47;

    private final Device device;
    private final DeviceState state;
    private final long total;
    private final QueueSet queues;
    private final DeviceHeap heap;
    private final PinnedPool pinned;
    private final Set<Memory> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong pinnedBytes = new AtomicLong();
    private final AtomicLong fallbacks = new AtomicLong();
    private volatile boolean closed;

    MemoryPool(Device device, DeviceState state, long total, QueueSet queues, DeviceHeap heap, PinnedPool pinned) {
        this.device = device;
        this.state = state;
        this.total = total;
        this.queues = queues;
        this.heap = heap;
        this.pinned = pinned;
    }

    Memory allocate(long size) {
        String what = "allocate of " + size + " bytes";
        check(size, what);
        long address = size > LARGEST ? 0 : heap.allocate(size);
        if (address == 0) {
            throw outOfMemory(
                    what + ": the device has no room for it (" + bytes + " bytes are in use of " + total + ")", null);
        }
        return admit(new DeviceMemory(device, address, size, this::release), what);
    }

    Memory allocatePinned(long size) {
        String what = "allocatePinned of " + size + " bytes";
        check(size, what);
        long address = size > LARGEST ? 0 : pinned.take(size);
        if (address != 0) {
            pinnedBytes.addAndGet(size);
            return admit(new HostMemory(device, address, size, this::release), what);
        }
        HostMemory ordinary = ordinary(size, what);
        if (fallbacks.getAndIncrement() == 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "device {0}: no page-locked memory is left for {1} bytes ({2} are in use): ordinary memory is"
                            + " used, whose copies are slower",
                    device,
                    Long.toString(size),
                    Long.toString(pinnedBytes.get()));
        }
        return admit(ordinary, what);
    }

    private HostMemory ordinary(long size, String what) {
        if (size > LARGEST) {
            throw outOfMemory(what + ": no process can have so much", null);
        }
        try {
            return new HostMemory(device, size, this::release);
        } catch (OutOfMemoryError e) {
            throw outOfMemory(what + ": the process has no room for it (-XX:MaxDirectMemorySize sets the limit)", e);
        }
    }

    private void check(long size, String what) {
        if (size < 0) {
            throw VtException.invalidArgument(sentence(what + ": expected 0 or more"));
        }
        requireOpen(what);
        queues.refuseInCapture(what);
    }

    private VtException outOfMemory(String what, @Nullable Throwable cause) {
        return new VtException(ErrorCode.OUT_OF_MEMORY, sentence(what), cause);
    }

    private Memory admit(Memory block, String what) {
        bytes.addAndGet(block.size());
        open.add(block);
        if (closed) {
            block.close();
            requireOpen(what);
        }
        return block;
    }

    private void requireOpen(String what) {
        state.require(what);
        if (closed) {
            throw VtException.closed(sentence(what + ": the backend is closed"));
        }
    }

    private String sentence(String what) {
        return "backend cuda of " + device + ": " + what;
    }

    private void release(DeviceMemory block) {
        left(block);
        heap.free(block.address());
    }

    /** The host frees its memory at once, so the work that uses it must be done. */
    private void release(HostMemory block) {
        left(block);
        queues.drain();
        block.unmap();
        if (block.pinned()) {
            pinnedBytes.addAndGet(-block.size());
            pinned.give(block.address(), block.size());
        }
    }

    private void left(Memory block) {
        open.remove(block);
        bytes.addAndGet(-block.size());
    }

    MemoryUse use() {
        return new MemoryUse(bytes.get(), open.size(), pinnedBytes.get(), fallbacks.get(), queues.size());
    }

    @Override
    public void close() {
        closed = true;
        open.forEach(Memory::close);
    }
}
