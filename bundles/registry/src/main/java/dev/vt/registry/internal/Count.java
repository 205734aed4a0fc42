package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.CallCounts;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Differences of the running sums since it was made. */
final class Count implements CallCounts {
    private final SelectionCore core;
    private final ReferenceTier reference;
    private final Device device;
    private final Map<String, Long> servedBefore;
    private final long declinesBefore;
    private final long hitsBefore;
    private final AtomicBoolean closed = new AtomicBoolean();

    Count(SelectionCore core, ReferenceTier reference, Device device) {
        this.core = core;
        this.reference = reference;
        this.device = device;
        core.counting(1);
        servedBefore = core.counters.servedByProvider(device);
        declinesBefore = core.counters.declinedOn(device);
        hitsBefore = reference.hits();
    }

    @Override
    public Map<String, Long> served() {
        Map<String, Long> out = new TreeMap<>();
        core.counters.servedByProvider(device).forEach((provider, now) -> {
            long since = now - servedBefore.getOrDefault(provider, 0L);
            if (since > 0) {
                out.put(provider, since);
            }
        });
        return out;
    }

    @Override
    public long declines() {
        return core.counters.declinedOn(device) - declinesBefore;
    }

    @Override
    public long referenceHits() {
        return reference.hits() - hitsBefore;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            core.counting(-1);
        }
    }
}
