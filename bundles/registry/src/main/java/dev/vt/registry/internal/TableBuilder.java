package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.op.Op;
import dev.vt.api.op.Policy;
import dev.vt.api.op.Selection.State;
import dev.vt.api.spi.OpProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes a table from the set of providers: a pure function of that set, the caps, the policies and the disabled names. Used under
 * the lock of {@link SelectionCore}; calls no foreign code.
 */
final class TableBuilder {
    /** Priority descending, then name, then origin; origin only orders those of one name. */
    static final Comparator<ProviderEntry> ORDER = Comparator.<ProviderEntry, Integer>comparing(e -> e.facts.priority())
            .reversed()
            .thenComparing(ProviderEntry::name, Names.UTF8_ORDER)
            .thenComparing(e -> e.origin);

    /** What a table is made from. */
    record Input(
            List<ProviderEntry> entries,
            Map<Device, ProviderCaps> devices,
            Set<String> disabled,
            Function<Device, Policy> policies,
            Map<Device, Map<Op<?>, ReferenceKernel>> reference,
            AdmissionRound admission,
            boolean counted,
            boolean watched,
            Counters counters) {}

    private final Input in;

    TableBuilder(Input in) {
        this.in = in;
    }

    SelectionTable build(long epoch) {
        Map<Op<?>, List<ProviderEntry>> offers = offers();
        List<Route> routes = new ArrayList<>();
        for (Map.Entry<Device, ProviderCaps> d : in.devices.entrySet()) {
            Map<Op<?>, ReferenceKernel> reference = in.reference.getOrDefault(d.getKey(), Map.of());
            for (Map.Entry<Op<?>, List<ProviderEntry>> offer : offers.entrySet()) {
                Route r = route(
                        offer.getKey(), d.getKey(), d.getValue(), offer.getValue(), reference.get(offer.getKey()));
                if (!r.chain.isEmpty()) {
                    routes.add(r);
                }
            }
        }
        return new SelectionTable(epoch, routes, offers);
    }

    /**
     * Who offers each op, in selection order; ops sorted by name. Of two ops with one id the one of the provider that comes first
     * counts.
     */
    private Map<Op<?>, List<ProviderEntry>> offers() {
        List<ProviderEntry> sorted = new ArrayList<>(in.entries);
        sorted.sort(ORDER);
        Map<Op<?>, List<ProviderEntry>> byName =
                new TreeMap<>(Comparator.<Op<?>, String>comparing(Op::name).thenComparing(Op::id));
        Map<Integer, Op<?>> ids = new HashMap<>();
        for (ProviderEntry e : sorted) {
            for (Op<?> op : e.facts.kernels().keySet()) {
                if (ids.computeIfAbsent(op.id(), k -> op).equals(op)) {
                    byName.computeIfAbsent(op, k -> new ArrayList<>()).add(e);
                }
            }
        }
        return byName;
    }

    private Route route(
            Op<?> op,
            Device device,
            ProviderCaps caps,
            List<ProviderEntry> offers,
            @Nullable ReferenceKernel reference) {
        Policy policy = in.policies.apply(device);
        Link.Calling calling = new Link.Calling(in.counters, in.counted, policy.fallback() == Policy.Fallback.STRICT);
        Map<String, ProviderEntry> winners = winners(device, offers);
        List<Link> chain = new ArrayList<>();
        ReferenceKernel lent = reference;
        boolean selected = false;
        for (ProviderEntry e : offers) {
            if (e.facts.type() == null || !e.facts.type().equals(device.type())) {
                continue;
            }
            if (lent != null && e.facts.priority() < OpProvider.REFERENCE_PRIORITY) {
                Link link = referenceLink(op, device, policy, calling, selected, lent);
                selected |= link.state == State.SELECTED;
                chain.add(link);
                lent = null;
            }
            Judgement j = judge(e, op, caps, policy, winners);
            State state = j.state != null ? j.state : selected ? State.BELOW : State.SELECTED;
            Object kernel = Objects.requireNonNull(e.facts.kernels().get(op), "an offer without a kernel");
            String reason =
                    j.state != null ? j.reason : selected ? "below " + first(chain) : "highest of those eligible";
            selected |= state == State.SELECTED;
            Link link = new Link(
                    op, device, e.name(), e.facts.priority(), state, reason, e.origin, kernel, e.owner, calling);
            link.refusedForResults = j.forResults;
            chain.add(link);
        }
        if (lent != null) {
            chain.add(referenceLink(op, device, policy, calling, selected, lent));
        }
        return new Route(op, device, chain, in.watched);
    }

    private static String first(List<Link> chain) {
        for (Link l : chain) {
            if (l.state == State.SELECTED) {
                return l.name;
            }
        }
        return "";
    }

    private Link referenceLink(
            Op<?> op, Device device, Policy policy, Link.Calling calling, boolean selected, ReferenceKernel reference) {
        State state = selected ? State.BELOW : State.SELECTED;
        String reason = "the CPU's kernel, lent; no performance measurement";
        if (policy.fallback() != Policy.Fallback.ALLOW || !policy.permits(OpProvider.REFERENCE)) {
            state = State.NOT_PERMITTED;
            reason = "policy of " + device + ": fallback=" + policy.fallback().label();
        } else if (in.disabled.contains(OpProvider.REFERENCE)) {
            state = State.DISABLED;
            reason = "disabled by name";
        }
        return new Link(
                op,
                device,
                OpProvider.REFERENCE,
                OpProvider.REFERENCE_PRIORITY,
                state,
                reason,
                ReferenceTier.ORIGIN,
                reference.kernel(),
                ReferenceTier.OWNER,
                calling);
    }

    /** The winner for each name; a name without one is ambiguous. */
    private static Map<String, ProviderEntry> winners(Device device, List<ProviderEntry> offers) {
        Map<String, List<ProviderEntry>> byName = new HashMap<>();
        for (ProviderEntry e : offers) {
            if (e.facts.type() != null && e.facts.type().equals(device.type()) && e.facts.fault() == null) {
                byName.computeIfAbsent(e.name(), k -> new ArrayList<>()).add(e);
            }
        }
        Map<String, ProviderEntry> winners = new HashMap<>();
        byName.forEach((name, same) -> {
            same.sort(Comparator.comparing(e -> e.origin));
            boolean unique = same.size() == 1 || same.get(0).origin.compareTo(same.get(1).origin) != 0;
            if (unique) {
                winners.put(name, same.get(0));
            }
        });
        return winners;
    }

    /** A state that keeps a kernel out, with its reason; a null state means eligible. */
    private record Judgement(@Nullable State state, String reason, boolean forResults) {
        static final Judgement ELIGIBLE = new Judgement(null, "");

        Judgement(@Nullable State state, String reason) {
            this(state, reason, false);
        }
    }

    private Judgement judge(
            ProviderEntry e, Op<?> op, ProviderCaps caps, Policy policy, Map<String, ProviderEntry> winners) {
        if (e.facts.fault() != null) {
            return new Judgement(State.REJECTED, e.facts.fault());
        }
        ProviderEntry winner = winners.get(e.name());
        if (winner == null) {
            return new Judgement(
                    State.REJECTED, "ambiguous: another provider of this name has the same version and origin");
        }
        if (winner != e) {
            return new Judgement(State.REJECTED, "second of the name '" + e.name() + "'; " + winner.origin + " wins");
        }
        if (in.disabled.contains(e.name())) {
            return new Judgement(State.DISABLED, "disabled by name");
        }
        if (!policy.permits(e.name())) {
            boolean denied = policy.deny().contains(e.name());
            return new Judgement(
                    State.NOT_PERMITTED,
                    "policy of " + caps.device() + (denied ? ": on the deny list" : ": not on the allow list"));
        }
        ProviderEntry.Verdict verdict = e.verdict(caps);
        if (verdict == null) {
            in.admission.asking(e);
            return new Judgement(State.REFUSED, "its predicate is being asked");
        }
        if (!verdict.yes()) {
            return new Judgement(State.REFUSED, verdict.reason());
        }
        String marked = e.marked(op, caps.device());
        String refused = marked != null ? marked : in.admission.refusal(e, op, caps.device());
        return refused == null ? Judgement.ELIGIBLE : new Judgement(State.REFUSED, refused, true);
    }
}
