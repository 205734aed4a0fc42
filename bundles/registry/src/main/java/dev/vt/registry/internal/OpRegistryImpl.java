package dev.vt.registry.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.device.Queue;
import dev.vt.api.op.CallCounts;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpLease;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.OpStats;
import dev.vt.api.op.Policy;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The registry as callers see it: dispatch and steering over {@link SelectionCore}. */
final class OpRegistryImpl implements OpRegistry {
    private final SelectionCore core;
    private final ReferenceTier reference;
    private final Calls calls;
    private final PinTable pins;
    private final Reports reports;

    /** The last winner of each op and device that had one, for statistics. */
    private final Map<String, String> lastSelected = new ConcurrentHashMap<>();

    OpRegistryImpl(SelectionCore core) {
        this.core = core;
        this.pins = core.pins;
        this.reference = new ReferenceTier(core);
        this.calls = new Calls(core, reference);
        this.reports = new Reports(core);
    }

    @Override
    public <K> void call(Op<K> op, Queue queue, KernelCall<K> call) {
        PinSlot slot = pins.enter(core.table().epoch);
        try {
            calls.run(core.table(), slot, op, queue, call);
        } finally {
            slot.exit();
        }
    }

    @Override
    public ExecutionContext newContext() {
        return new StepContext(core, calls);
    }

    // ---- look-ups ----

    @Override
    public <K> OpLease<K> acquire(Op<K> op, Device device) {
        for (int round = 0; round < 2; round++) {
            Route route = core.table().route(op, device);
            if (route != null) {
                core.watch.selected(route, core.caps(device));
                for (Link link : route.eligible) {
                    OpLease<K> lease = lease(op, link);
                    if (lease != null) {
                        return lease;
                    }
                }
            }
            if (!reference.lend(op, device)) {
                break;
            }
        }
        countFallback(op, device);
        throw new NoKernelException(calls.noKernel(op, device, core.table().route(op, device), ""));
    }

    @Override
    public <K> Optional<OpLease<K>> acquire(Op<K> op, Device device, String provider) {
        Route route = core.table().route(op, device);
        if (route != null) {
            for (Link link : route.chain) {
                if (link.name.equals(provider) && link.testable()) {
                    return Optional.ofNullable(lease(op, link));
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public <K> OpLease<K> fallback(Op<K> op, Device device, String decliningProvider) {
        return below(op, device, decliningProvider, true);
    }

    @Override
    public <K> OpLease<K> below(Op<K> op, Device device, String provider) {
        return below(op, device, provider, false);
    }

    private <K> OpLease<K> below(Op<K> op, Device device, String provider, boolean count) {
        Route route = core.table().route(op, device);
        int at = indexOf(route, provider);
        if (route == null || at < 0) {
            throw VtException.notFound("op " + op + " on " + device + ": no provider is named '" + provider
                    + "'; there are "
                    + (route == null
                            ? "none"
                            : String.join(
                                    ", ", route.chain.stream().map(l -> l.name).toList())));
        }
        if (count) {
            noteDecline(op, device, provider, "asked for the kernel below");
        }
        for (Link link : route.chain.subList(at + 1, route.chain.size())) {
            OpLease<K> lease = link.eligible() ? lease(op, link) : null;
            if (lease != null) {
                return lease;
            }
        }
        if (count) {
            countFallback(op, device);
        }
        throw new NoKernelException("op " + op + " on " + device + ": nothing eligible is below provider " + provider
                + "; " + calls.noKernel(op, device, route, ""));
    }

    /** Of several of the name the one that is not rejected: below another one the asking provider might find itself. */
    private static int indexOf(@Nullable Route route, String provider) {
        int found = -1;
        if (route != null) {
            for (int i = 0; i < route.chain.size(); i++) {
                Link link = route.chain.get(i);
                if (link.name.equals(provider) && (found < 0 || link.state != Selection.State.REJECTED)) {
                    found = i;
                }
            }
        }
        return found;
    }

    private static <K> @Nullable OpLease<K> lease(Op<K> op, Link link) {
        return link.owner.enter() ? new Lease<>(op.kernelType().cast(link.kernel), link.name, link.owner) : null;
    }

    @Override
    public void noteDecline(Op<?> op, Device device, String provider, String reason) {
        count(core.counters.declined(op.id(), device, provider, reason));
    }

    private void countFallback(Op<?> op, Device device) {
        count(core.counters.fallbacks(op.id(), device));
    }

    private void count(int cell) {
        PinSlot slot = core.pins.enter(core.table().epoch);
        try {
            slot.count(cell);
        } finally {
            slot.exit();
        }
    }

    @Override
    public boolean registered(Op<?> op, Device device) {
        Route route = core.table().route(op, device);
        return route != null && route.eligible.length > 0 && !route.eligible[0].reference();
    }

    @Override
    public int providerCount(Op<?> op, Device device) {
        Route route = core.table().route(op, device);
        return route == null ? 0 : route.chain.size();
    }

    @Override
    public @Nullable String providerNameAt(Op<?> op, Device device, int i) {
        Route route = core.table().route(op, device);
        return route == null || i < 0 || i >= route.chain.size() ? null : route.chain.get(i).name;
    }

    @Override
    public List<Op<?>> ops() {
        return List.copyOf(core.table().offers.keySet());
    }

    // ---- what is, and why ----

    @Override
    public Selection explain(Op<?> op, Device device) {
        return reports.selection(op, device);
    }

    @Override
    public List<Selection> selections() {
        return reports.selections();
    }

    @Override
    public List<ProviderStatus> providers() {
        return reports.providers();
    }

    @Override
    public String digest() {
        return reports.digest();
    }

    @Override
    public long epoch() {
        return core.table().epoch;
    }

    // ---- steering ----

    @Override
    public boolean disable(String name) {
        return core.disable(name);
    }

    @Override
    public boolean enable(String name) {
        return core.enable(name);
    }

    @Override
    public Set<String> disabled() {
        return core.disabled();
    }

    @Override
    public boolean refuse(Op<?> op, Device device, String provider, String reason) {
        return core.mark(op, device, provider, reason);
    }

    @Override
    public boolean readmit(Op<?> op, Device device, String provider) {
        return core.mark(op, device, provider, null);
    }

    @Override
    public List<String> pendingAdmissions() {
        return core.admission.pending();
    }

    @Override
    public boolean awaitAdmission(Duration limit) throws InterruptedException {
        return core.admission.await(limit);
    }

    @Override
    public OpStats stats(Op<?> op, Device device) {
        Route route = core.table().route(op, device);
        String now = route == null ? null : route.selected();
        String key = op.name() + "@" + device;
        String last = now != null ? now : lastSelected.get(key);
        if (now != null) {
            lastSelected.put(key, now);
        }
        Counters c = core.counters;
        return new OpStats(
                op.name(),
                device,
                last,
                c.servedTotal(op.id(), device),
                c.declinedTotal(op.id(), device),
                c.value(c.fallbacks(op.id(), device)));
    }

    @Override
    public void resetStats(Op<?> op, Device device) {
        core.counters.reset(op.id(), device);
    }

    @Override
    public void countCalls(boolean on) {
        core.countCalls(on);
    }

    @Override
    public boolean countsCalls() {
        return core.countsCalls();
    }

    @Override
    public CallCounts count(Device device) {
        return new Count(core, reference, device);
    }

    @Override
    public ProviderCaps caps(Device device) {
        return core.caps(device);
    }

    @Override
    public void publishCaps(ProviderCaps caps) {
        core.publish(caps);
    }

    @Override
    public Policy policy(Device device) {
        return core.policy(device);
    }

    @Override
    public void policy(Device device, Policy policy) {
        core.policy(device, policy);
    }

    @Override
    public int installReferenceTier(Device device) {
        return reference.installAll(device);
    }

    @Override
    public String referenceTier(Device device) {
        String refusal = reference.refusal(device);
        return refusal == null ? "eligible" : "not eligible: " + refusal;
    }

    @Override
    public long referenceHits() {
        return reference.hits();
    }
}
