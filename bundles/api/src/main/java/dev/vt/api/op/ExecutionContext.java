package dev.vt.api.op;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A step of work that pins the set of providers once. Between {@link #begin()} and {@link #end()} all calls see one and the
 * same selection and no provider of it can leave, so a step should be short: a token, not a conversation. Outside a step
 * every call pins itself. One thread at a time uses a context; whoever created it closes it.
 */
@ProviderType
public interface ExecutionContext extends Dispatcher, AutoCloseable {
    /** Pins the present selection for the calling thread. */
    void begin();

    /** Lets the selection go. */
    void end();

    /** True between begin and end. */
    boolean active();

    /** Ends a step that is still open. */
    @Override
    void close();
}
