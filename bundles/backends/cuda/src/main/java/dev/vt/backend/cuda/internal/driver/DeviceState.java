package dev.vt.backend.cuda.internal.driver;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether a device can be used. It goes from open to failed, which is final, or to closed. Any thread may call it; who asked to
 * be told of a failure is told once, on the thread that met it.
 */
public final class DeviceState {
    private final String device;
    private final Consumer<String> onFailure;
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private volatile boolean closed;

    public DeviceState(String device, Consumer<String> onFailure) {
        this.device = device;
        this.onFailure = onFailure;
    }

    /** The device's text, for messages. */
    public String device() {
        return device;
    }

    /** Ends everything for good. */
    void fail(String reason) {
        if (failure.compareAndSet(null, reason)) {
            onFailure.accept(reason);
        }
    }

    void close() {
        closed = true;
    }

    public boolean failed() {
        return failure.get() != null;
    }

    /** Neither failed nor closed. */
    boolean usable() {
        return !failed() && !closed;
    }

    /** Refuses a call on a device that can't be used. */
    public void require(String what) {
        String reason = failure.get();
        if (reason != null) {
            throw new VtException(
                    ErrorCode.DEVICE_LOST,
                    "backend cuda of " + device + ": " + what
                            + ": the device has failed and can't be used again in this" + " process (" + reason
                            + "); restart the process");
        }
        if (closed) {
            throw VtException.closed("backend cuda of " + device + ": " + what + ": the backend is closed");
        }
    }
}
