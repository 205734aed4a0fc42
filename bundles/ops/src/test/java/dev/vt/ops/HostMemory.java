package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** A block of host memory that says it belongs to any device; the collector frees it. */
final class HostMemory implements Memory {
    private static final AtomicLong IDS = new AtomicLong();

    private final long id = IDS.incrementAndGet();
    private final Device device;
    private final MemorySegment segment;

    HostMemory(Device device, long bytes) {
        this.device = device;
        this.segment = Arena.ofAuto().allocate(Math.max(1, bytes), 64);
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
        return segment;
    }

    @Override
    public boolean hostAddressable() {
        return true;
    }

    @Override
    public boolean closed() {
        return false;
    }

    @Override
    public void close() {
        // The collector does it.
    }
}
