package dev.vt.model;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.OpStats;
import dev.vt.api.op.Selection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Says which providers served the calls on one device since it was made. It switches the registry's counting of calls
 * on and, at the end, off again if it was off. The registry counts for the whole process, so calls of others on the
 * device count too. One thread at a time.
 *
 * <p>A provider that leaves takes its line out of the registry's report but not out of the op's sum. {@link #update()}
 * therefore has to run whenever the selection has changed: what the sum has more than the lines is the share of the one
 * that has gone.
 */
final class CallStatistics implements AutoCloseable {
    /** The share of providers that left while nobody looked, where it can't be told whose it was. */
    static final String LEFT = "(left)";

    private final OpRegistry registry;
    private final Device device;
    private final boolean counted;
    private final Map<Op<?>, Seen> seen = new HashMap<>();
    private final Map<String, Long> served = new TreeMap<>();
    private final long hitsBefore;
    private long declines;
    private long epoch;

    /** The last look at one op. */
    private static final class Seen {
        long total;
        long declines;
        final Map<String, Long> byProvider = new HashMap<>();
        Set<String> present = new HashSet<>();
    }

    CallStatistics(OpRegistry registry, Device device) {
        this.registry = registry;
        this.device = device;
        this.counted = registry.countsCalls();
        registry.countCalls(true);
        this.hitsBefore = registry.referenceHits();
        this.epoch = registry.epoch();
        look();
        served.clear();
        declines = 0;
    }

    /** Takes the counters over if the selection has changed. */
    void update() {
        long now = registry.epoch();
        if (now != epoch) {
            epoch = now;
            look();
        }
    }

    /** Takes the counters over. */
    void look() {
        for (Op<?> op : registry.ops()) {
            look(op, seen.computeIfAbsent(op, o -> new Seen()));
        }
    }

    private void look(Op<?> op, Seen before) {
        OpStats stats = registry.stats(op, device);
        long rest = stats.selections() - before.total;
        before.total = stats.selections();
        declines += stats.declines() - before.declines;
        before.declines = stats.declines();
        Set<String> present = new HashSet<>();
        for (Selection.Link link : registry.explain(op, device).chain()) {
            present.add(link.name());
            long calls = link.selections() - before.byProvider.getOrDefault(link.name(), 0L);
            before.byProvider.put(link.name(), link.selections());
            add(link.name(), calls);
            rest -= calls;
        }
        before.present.removeAll(present);
        if (rest != 0) {
            String gone = before.present.size() == 1 ? before.present.iterator().next() : LEFT;
            before.byProvider.merge(gone, rest, Long::sum);
            add(gone, rest);
        }
        before.present = present;
    }

    private void add(String provider, long calls) {
        if (calls != 0) {
            served.merge(provider, calls, (a, b) -> a + b == 0 ? null : a + b);
        }
    }

    /** Calls served by each provider. */
    Map<String, Long> served() {
        return served;
    }

    long declines() {
        return declines;
    }

    long referenceHits() {
        return registry.referenceHits() - hitsBefore;
    }

    @Override
    public void close() {
        registry.countCalls(counted);
    }
}
