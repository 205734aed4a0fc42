package dev.vt.testkit;

import dev.vt.api.device.Device;
import dev.vt.api.device.Memory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A block of a {@link DeviceDouble}, or of the host for it: real host memory, which it shows or hides. */
final class DoubleMemory implements Memory {
    /** Nothing is mapped in the first gigabytes above this address, and nobody may follow it anyway. */
    private static final long OPAQUE = 0x7000_0000_0000_0000L;

    private final DeviceDouble owner;
    private final Memory inner;
    private final boolean shown;
    private final long pinned;
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean closed;

    private DoubleMemory(DeviceDouble owner, Memory inner, boolean shown, long pinned) {
        this.owner = owner;
        this.inner = inner;
        this.shown = shown;
        this.pinned = pinned;
    }

    static DoubleMemory ofDevice(DeviceDouble owner, Memory inner) {
        return new DoubleMemory(owner, inner, owner.hostAddressable(), 0);
    }

    /** Memory of the host, so many bytes of which are page-locked. */
    static DoubleMemory ofHost(DeviceDouble owner, Memory inner, long pinned) {
        return new DoubleMemory(owner, inner, true, pinned);
    }

    DeviceDouble owner() {
        return owner;
    }

    Memory inner() {
        return inner;
    }

    @Override
    public Device device() {
        return owner.device();
    }

    @Override
    public long id() {
        return inner.id();
    }

    @Override
    public long size() {
        return inner.size();
    }

    @Override
    public MemorySegment segment() {
        // Asked even where it is hidden: a closed block throws.
        MemorySegment real = inner.segment();
        return shown ? real : MemorySegment.ofAddress(OPAQUE + (inner.id() << 8));
    }

    @Override
    public boolean hostAddressable() {
        return shown;
    }

    @Override
    public boolean pinned() {
        return pinned > 0;
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            // Deferred work still wants the block, so it is not closed before that work is submitted.
            owner.freeing(pinned, id());
            closed = true;
            inner.close();
        }
    }

    @Override
    public String toString() {
        return "memory block " + id() + " (" + size() + " bytes) of " + device();
    }
}
