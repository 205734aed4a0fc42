package dev.vt.registry;

import dev.vt.api.device.Backend;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.spi.OpProvider;

/**
 * The registry on a plain class or module path, without OSGi. {@link #load()} finds backends and providers by
 * {@link java.util.ServiceLoader}; more may be added and removed at any time. Whoever makes a runtime closes it, which removes
 * the providers, then the backends.
 */
public final class VtRuntime implements AutoCloseable {
    private VtRuntime() {
        throw new UnsupportedOperationException("not written yet");
    }

    /** A runtime with every backend and provider that ServiceLoader finds. */
    public static VtRuntime load() {
        return new VtRuntime();
    }

    /** A runtime with nothing in it. */
    public static VtRuntime empty() {
        return new VtRuntime();
    }

    public OpRegistry ops() {
        throw new UnsupportedOperationException("not written yet");
    }

    public BackendRegistry backends() {
        throw new UnsupportedOperationException("not written yet");
    }

    /** Adds a backend; closing the registration removes it. */
    public Registration add(Backend backend) {
        throw new UnsupportedOperationException("not written yet");
    }

    /** Adds a provider; closing the registration removes it, and returns when no call is left inside its kernels. */
    public Registration add(OpProvider provider) {
        throw new UnsupportedOperationException("not written yet");
    }

    /** Adds a provider under an origin of its own, which decides between two of one name: see {@link #add(OpProvider)}. */
    public Registration add(OpProvider provider, String bundle, String version) {
        throw new UnsupportedOperationException("not written yet");
    }

    @Override
    public void close() {}

    /** What was added; closing removes it, once. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
