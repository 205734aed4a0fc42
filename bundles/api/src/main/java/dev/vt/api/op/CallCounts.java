package dev.vt.api.op;

import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Counts the calls on one device from its opening on, whoever makes them. While one is open served calls are counted, whatever
 * {@link OpRegistry#countCalls} says; several may be open at once. Resets of statistics do not touch it. Any thread may read it;
 * whoever opened it closes it.
 */
@ProviderType
public interface CallCounts extends AutoCloseable {
    /** Calls that each provider served, sorted by name; those that have left meanwhile are in it. */
    Map<String, Long> served();

    /** Declines of all providers. */
    long declines();

    /** Calls on any device that a borrowed CPU kernel served. */
    long referenceHits();

    /** Ends the counting for this holder; may be repeated. */
    @Override
    void close();
}
