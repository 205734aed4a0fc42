package dev.vt.backend.cuda.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.HandleIds;
import dev.vt.api.device.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A block of host memory, page-locked or, where none was left, ordinary. Its segment has an arena of its own, so that a use
 * of freed memory is an exception and never a crash.
 */
final class HostMemory implements Memory {
    private final long id = HandleIds.nextMemory();
    private final Device device;
    private final boolean pinned;
    private final long address;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private final Consumer<HostMemory> release;
    private final AtomicReference<@Nullable String> closedBy = new AtomicReference<>();

    /** Page-locked memory at an address. */
    HostMemory(Device device, long address, long size, Consumer<HostMemory> release) {
        this.device = device;
        this.pinned = true;
        this.address = address;
        this.segment = MemorySegment.ofAddress(address).reinterpret(size, arena, null);
        this.release = release;
    }

    /** Ordinary memory. */
    HostMemory(Device device, long size, Consumer<HostMemory> release) {
        this.device = device;
        this.pinned = false;
        this.segment = arena.allocate(Math.max(1, size), DeviceHeap.ALIGNMENT).asSlice(0, size);
        this.address = segment.address();
        this.release = release;
    }

    long address() {
        return address;
    }

    /** Ends all access through the segment. */
    void unmap() {
        arena.close();
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public long size() {
        return segment.byteSize();
    }

    @Override
    public MemorySegment segment() {
        String by = closedBy.get();
        if (by != null) {
            throw VtException.closed(this + ": the block was closed by thread '" + by + "'");
        }
        return segment;
    }

    @Override
    public boolean hostAddressable() {
        return true;
    }

    @Override
    public boolean pinned() {
        return pinned;
    }

    @Override
    public boolean closed() {
        return closedBy.get() != null;
    }

    @Override
    public void close() {
        if (closedBy.compareAndSet(null, Thread.currentThread().getName())) {
            release.accept(this);
        }
    }

    @Override
    public String toString() {
        return "memory block " + id + " (" + size() + " bytes of the host) of " + device;
    }
}
