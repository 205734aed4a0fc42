package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpLease;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Outcome;
import java.util.Optional;

/**
 * Sends the calls of one op to the kernel of one provider, and tells what it answered. Holds the provider until closed.
 * One thread.
 */
final class OneKernel implements Dispatcher, AutoCloseable {
    private final Op<?> op;
    private final OpLease<?> lease;
    private Outcome outcome = Outcome.SERVED;

    private OneKernel(Op<?> op, OpLease<?> lease) {
        this.op = op;
        this.lease = lease;
    }

    /** The kernel of a named provider; empty where it is not eligible. */
    static Optional<OneKernel> find(OpRegistry registry, Op<?> op, Device device, String provider) {
        // The look-up of a missing kernel counts as a fallback, and nothing was missing here.
        if (registry.explain(op, device).selected() == null) {
            return Optional.empty();
        }
        OpLease<?> lease = registry.acquire(op, device);
        while (!lease.provider().equals(provider)) {
            String above = lease.provider();
            lease.close();
            try {
                lease = registry.below(op, device, above);
            } catch (NoKernelException e) {
                return Optional.empty();
            }
        }
        return Optional.of(new OneKernel(op, lease));
    }

    @Override
    public <K> void call(Op<K> called, Queue queue, KernelCall<K> call) {
        if (!called.equals(op)) {
            throw VtException.invalidArgument("expected a call of " + op + ", given " + called);
        }
        outcome = call.on(called.kernelType().cast(lease.kernel()));
    }

    /** What the kernel answered last. */
    Outcome outcome() {
        return outcome;
    }

    String provider() {
        return lease.provider();
    }

    @Override
    public void close() {
        lease.close();
    }
}
