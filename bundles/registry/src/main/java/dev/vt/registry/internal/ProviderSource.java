package dev.vt.registry.internal;

import dev.vt.api.spi.OpProvider;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A provider as some service system offers it: what it declares about itself, and the way to an instance. The registry calls
 * these methods without holding a lock.
 */
public interface ProviderSource {
    /** Declared service properties that start with {@code vt.provider.}; a value may be null or of any type. */
    Map<String, @Nullable Object> properties();

    Origin origin();

    /** The instance; not asked for while the declared name is disabled, and once more only if it failed and properties changed. */
    OpProvider instance();

    /** Called once when the registry needs the instance no more, and only after {@link #instance()}. */
    default void release() {}
}
