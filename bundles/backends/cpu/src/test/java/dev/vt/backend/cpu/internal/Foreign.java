package dev.vt.backend.cpu.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import java.lang.reflect.Proxy;

/** Handles of a device that this backend doesn't know. */
record Foreign(Device device) {
    Memory memory() {
        return handle(Memory.class);
    }

    Queue queue() {
        return handle(Queue.class);
    }

    Event event() {
        return handle(Event.class);
    }

    private <T> T handle(Class<T> type) {
        Object proxy = Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> switch (method.getName()) {
                    case "device" -> device;
                    case "id" -> 4711L;
                    case "hostAddressable", "closed" -> false;
                    case "toString" -> "a handle of " + device;
                    default -> throw new AssertionError("not to be called: " + method);
                });
        return type.cast(proxy);
    }
}
