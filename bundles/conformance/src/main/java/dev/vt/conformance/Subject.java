package dev.vt.conformance;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpLease;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import java.util.Optional;

/**
 * The kernel under test: the calls of one op go to it and to no other, and what it answered last can be asked for. Closing it gives a
 * lease back. One thread.
 */
public final class Subject implements Dispatcher, AutoCloseable {
    private final Op<?> op;
    private final Object kernel;
    private final Runnable end;
    private Outcome outcome = Outcome.SERVED;

    private Subject(Op<?> op, Object kernel, Runnable end) {
        this.op = op;
        this.kernel = kernel;
        this.end = end;
    }

    /** A kernel that the registry does not know, or not yet; empty where the set has none for the op. */
    public static Optional<Subject> of(KernelSet kernels, Op<?> op) {
        return Optional.ofNullable(kernels.asMap().get(op)).map(kernel -> new Subject(op, kernel, () -> {}));
    }

    /** The kernel of a named provider, held until closed; empty where it can't run, see {@link OpRegistry#acquire(Op, Device, String)}. */
    public static Optional<Subject> of(OpRegistry registry, Op<?> op, Device device, String provider) {
        return lease(registry, op, device, provider).map(lease -> new Subject(op, lease.kernel(), lease::close));
    }

    private static <K> Optional<OpLease<K>> lease(OpRegistry registry, Op<K> op, Device device, String provider) {
        return registry.acquire(op, device, provider);
    }

    @Override
    public <K> void call(Op<K> called, Queue queue, KernelCall<K> call) {
        if (!called.equals(op)) {
            throw VtException.invalidArgument("expected a call of " + op + ", given " + called);
        }
        outcome = call.on(called.kernelType().cast(kernel));
    }

    public Op<?> op() {
        return op;
    }

    /** What the kernel answered last. */
    public Outcome outcome() {
        return outcome;
    }

    @Override
    public void close() {
        end.run();
    }
}
