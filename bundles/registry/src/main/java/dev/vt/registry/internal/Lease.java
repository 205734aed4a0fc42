package dev.vt.registry.internal;

import dev.vt.api.VtException;
import dev.vt.api.op.OpLease;
import java.util.concurrent.atomic.AtomicBoolean;

/** A lease on one link: inside its owner until closed. */
final class Lease<K> implements OpLease<K> {
    private final K kernel;
    private final String provider;
    private final Owner owner;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The owner was entered before. */
    Lease(K kernel, String provider, Owner owner) {
        this.kernel = kernel;
        this.provider = provider;
        this.owner = owner;
    }

    @Override
    public K kernel() {
        if (closed.get()) {
            throw VtException.closed("the lease on a kernel of provider " + provider + " was closed before");
        }
        return kernel;
    }

    @Override
    public String provider() {
        return provider;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            owner.exit();
        }
    }
}
