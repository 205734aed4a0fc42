package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of a test, aligned to 64 bytes and filled with a pattern, freed with the test's objects. */
final class HostBlock implements Memory {
    /** What every byte is before a test writes it: as a float of any type it is huge, so a read of it is noticed. */
    static final byte PATTERN = 0x5a;

    private final MemorySegment segment;

    HostBlock(long bytes) {
        segment = Arena.ofAuto().allocate(bytes, 64).fill(PATTERN);
    }

    @Override
    public Device device() {
        return Device.of(DeviceType.CPU);
    }

    @Override
    public long id() {
        return 1;
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
    public void close() {}
}
