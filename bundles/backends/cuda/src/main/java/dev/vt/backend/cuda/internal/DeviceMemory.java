package dev.vt.backend.cuda.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.HandleIds;
import dev.vt.api.device.Memory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A block of device memory. It only knows whether it is open; the pool that made it gives the bytes back. */
final class DeviceMemory implements Memory {
    private final long id = HandleIds.nextMemory();
    private final Device device;
    private final long size;
    private final MemorySegment segment;
    private final Consumer<DeviceMemory> release;
    /** Name of the thread that closed the block, null while it is open. */
    private final AtomicReference<@Nullable String> closedBy = new AtomicReference<>();

    DeviceMemory(Device device, long address, long size, Consumer<DeviceMemory> release) {
        this.device = device;
        this.size = size;
        // Of no bytes: host code can't read through an address that means nothing to it.
        this.segment = MemorySegment.ofAddress(address);
        this.release = release;
    }

    /** The address, also of a closed block, whose work may still be under way. */
    long address() {
        return segment.address();
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
        return size;
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
        return false;
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
        return "memory block " + id + " (" + size + " bytes) of " + device;
    }
}
