package dev.vt.testkit;

import dev.vt.api.device.Device;
import dev.vt.api.device.Event;

/** An event of a {@link DeviceDouble}. */
record DoubleEvent(Device device, Event inner) implements Event {
    @Override
    public boolean query() {
        return inner.query();
    }

    @Override
    public void synchronize() {
        inner.synchronize();
    }

    @Override
    public void close() {
        inner.close();
    }
}
