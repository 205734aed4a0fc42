package dev.vt.api.op;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A kernel held in the hand. Its provider can't leave until the lease is closed, so hold it for the length of a call or two.
 * Closing may be repeated, from any thread, in any order with the provider's leaving.
 *
 * @param <K> the kernel interface
 */
@ProviderType
public interface OpLease<K> extends AutoCloseable {
    /** The kernel; an error after close. */
    K kernel();

    /** The name of its provider. */
    String provider();

    @Override
    void close();
}
