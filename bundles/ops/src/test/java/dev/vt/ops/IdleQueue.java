package dev.vt.ops;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Queue;

/** A queue that has a device and takes no work: entry points may ask it nothing else. */
record IdleQueue(Device device) implements Queue {
    @Override
    public long id() {
        return 1;
    }

    @Override
    public boolean capturing() {
        return false;
    }

    @Override
    public void synchronize() {
        throw unexpected();
    }

    @Override
    public void record(Event event) {
        throw unexpected();
    }

    @Override
    public void waitFor(Event event) {
        throw unexpected();
    }

    @Override
    public void noteOwner(KernelOwner owner) {
        throw unexpected();
    }

    @Override
    public void beginCapture() {
        throw unexpected();
    }

    @Override
    public Graph endCapture() {
        throw unexpected();
    }

    @Override
    public void endCaptureStored() {
        throw unexpected();
    }

    @Override
    public void replayStored() {
        throw unexpected();
    }

    @Override
    public void close() {
        throw unexpected();
    }

    private static VtException unexpected() {
        return VtException.unsupported("an entry point gives a queue no work");
    }
}
