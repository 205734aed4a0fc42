package dev.vt.backend.cpu.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.HandleIds;
import dev.vt.api.device.Memory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A block of host memory. It only knows whether it is open; the pool that made it gives the bytes back. */
final class CpuMemory implements Memory {
    private final long id = HandleIds.nextMemory();
    private final Device device;
    private final MemorySegment segment;
    private final Consumer<CpuMemory> release;
    /** Name of the thread that closed the block, null while it is open. */
    private final AtomicReference<@Nullable String> closedBy = new AtomicReference<>();

    CpuMemory(Device device, MemorySegment segment, Consumer<CpuMemory> release) {
        this.device = device;
        this.segment = segment;
        this.release = release;
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

    /** As {@link #segment}, also while the closed block waits for the work that was accepted before. */
    MemorySegment bytes() {
        return segment;
    }

    @Override
    public boolean hostAddressable() {
        return true;
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
        return "memory block " + id + " (" + size() + " bytes) of " + device;
    }
}
