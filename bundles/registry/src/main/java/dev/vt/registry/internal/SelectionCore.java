package dev.vt.registry.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.op.Op;
import dev.vt.api.op.Policy;
import dev.vt.api.spi.AdmissionTest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state of a registry and its one volatile table. Every change goes through {@link #refresh}: what has to be asked of
 * providers is asked without the lock, then the next table is computed and stored under it. Knows nothing of OSGi.
 */
final class SelectionCore {
    private static final Logger LOG = System.getLogger("dev.vt.registry");

    final PinTable pins = new PinTable();
    final Counters counters = new Counters(pins);
    final Watch watch;
    final Admission admission;
    private final Quiescence quiescence;

    private final Object lock = new Object();
    private final List<ProviderEntry> entries = new ArrayList<>();
    private final Map<Device, List<BackendEntry>> backends = new TreeMap<>();
    private final Map<Device, ProviderCaps> published = new HashMap<>();
    /** By the text of the device, since a policy may name a device that no backend has brought yet. */
    private final Map<String, Policy> policies = new HashMap<>();

    private Policy defaultPolicy = Policy.DEFAULT;
    private final Set<String> disabled = new TreeSet<>();
    private final Map<Device, Map<Op<?>, ReferenceKernel>> reference = new HashMap<>();
    private boolean countCalls;
    private int counting;

    private volatile SelectionTable table = new SelectionTable(1, List.of(), Map.of());

    SelectionCore(Settings settings) {
        disabled.addAll(settings.disabled());
        countCalls = settings.stats();
        watch = new Watch(settings);
        quiescence = new Quiescence(pins);
        admission = new Admission(lock, settings.admission(), this::publishTable);
    }

    SelectionTable table() {
        return table;
    }

    // ---- providers ----

    ProviderEntry add(ProviderSource source) {
        ProviderEntry entry = new ProviderEntry(source);
        synchronized (lock) {
            entries.add(entry);
        }
        refresh();
        ProviderEntry.Facts facts = entry.facts;
        if (facts.fault() != null) {
            LOG.log(Level.WARNING, "provider {0} of {1} is rejected: {2}", entry.name(), entry.origin, facts.fault());
        } else {
            LOG.log(Level.DEBUG, "provider {0} of {1} arrived", entry.name(), entry.origin);
        }
        return entry;
    }

    /** Takes a provider out; returns when no call is inside it and no queued work of it is left. */
    void remove(ProviderEntry entry) {
        boolean loaded;
        synchronized (lock) {
            if (entry.removed) {
                return;
            }
            entry.removed = true;
            entries.remove(entry);
            loaded = entry.facts.instance() != null;
        }
        entry.owner.leave();
        refresh();
        quiet(entry);
        if (loaded) {
            entry.source.release();
        }
        LOG.log(Level.DEBUG, "provider {0} of {1} left", entry.name(), entry.origin);
    }

    /** Takes in changed service properties of a provider. */
    void modify(ProviderEntry entry, Map<String, @Nullable Object> properties) {
        ProviderEntry.Facts facts = entry.redeclared(properties);
        synchronized (lock) {
            entry.facts = facts;
            if (facts.instance() == null && entry.stage == ProviderEntry.Stage.KNOWN) {
                entry.stage = ProviderEntry.Stage.DECLARED;
            }
        }
        if (facts.fault() != null) {
            LOG.log(Level.WARNING, "provider {0} of {1} is rejected: {2}", entry.name(), entry.origin, facts.fault());
        }
        refresh();
    }

    private void quiet(ProviderEntry entry) {
        List<Backend> drained = new ArrayList<>();
        synchronized (lock) {
            backends.forEach((device, list) -> {
                if (entry.facts.type() != null && entry.facts.type().equals(device.type()) && !list.isEmpty()) {
                    drained.add(list.get(0).backend());
                }
            });
        }
        admission.abandon(t -> t.entry() == entry);
        quiescence.await("provider " + entry.name(), table.epoch, entry.owner, drained);
    }

    // ---- backends and caps ----

    BackendEntry add(Backend backend, Origin origin) {
        BackendEntry entry = BackendEntry.of(backend, origin);
        synchronized (lock) {
            List<BackendEntry> list = backends.computeIfAbsent(entry.device(), d -> new ArrayList<>());
            list.add(entry);
            list.sort(BackendEntry.ORDER);
            published.put(entry.device(), list.get(0).caps());
        }
        LOG.log(Level.DEBUG, "device {0} arrived: {1}", entry.device(), entry.name());
        refresh();
        return entry;
    }

    void remove(BackendEntry entry) {
        synchronized (lock) {
            List<BackendEntry> list = backends.get(entry.device());
            if (list == null || !list.removeIf(e -> e == entry)) {
                return;
            }
            entries.forEach(e -> e.forget(entry));
            if (list.isEmpty()) {
                backends.remove(entry.device());
                published.remove(entry.device());
                reference.remove(entry.device());
            } else {
                published.put(entry.device(), list.get(0).caps());
            }
        }
        entry.owner().leave();
        refresh();
        admission.abandon(t -> t.backend() == entry);
        quiescence.await(
                "backend " + entry.name() + " of " + entry.device(),
                table.epoch,
                entry.owner(),
                List.of(entry.backend()));
    }

    /** The winning backends, sorted by device. */
    List<BackendEntry> backends() {
        synchronized (lock) {
            return backends.values().stream().map(list -> list.get(0)).toList();
        }
    }

    Optional<BackendEntry> backend(Device device) {
        synchronized (lock) {
            List<BackendEntry> list = backends.get(device);
            return list == null ? Optional.empty() : Optional.of(list.get(0));
        }
    }

    ProviderCaps caps(Device device) {
        synchronized (lock) {
            return published.getOrDefault(device, ProviderCaps.unknown(device));
        }
    }

    void publish(ProviderCaps caps) {
        synchronized (lock) {
            // A fresh object, since verdicts are kept by the identity of the caps that they were made for.
            published.put(
                    caps.device(),
                    new ProviderCaps(
                            caps.device(), caps.valid(), caps.major(), caps.minor(), caps.units(), caps.features()));
        }
        refresh();
    }

    // ---- admission ----

    void admission(AdmissionSettings settings) {
        synchronized (lock) {
            admission.configure(settings);
        }
        refresh();
    }

    Trial.Kit add(AdmissionTest test, Origin origin) {
        Trial.Kit kit = new Trial.Kit(test, origin, new Owner(origin.component()));
        synchronized (lock) {
            admission.add(kit);
        }
        refresh();
        return kit;
    }

    void remove(Trial.Kit kit) {
        synchronized (lock) {
            admission.remove(kit);
        }
        kit.owner().leave();
        refresh();
        admission.abandon(t -> t.kit() == kit);
        quiescence.await("the test kit of " + kit.origin(), table.epoch, kit.owner(), List.of());
    }

    /** Marks a kernel of the provider that has the name on the device, or undoes that. */
    boolean mark(Op<?> op, Device device, String provider, @Nullable String reason) {
        boolean changed;
        synchronized (lock) {
            ProviderEntry entry = Marks.find(entries, table.route(op, device), op, device, provider);
            changed = reason == null ? entry.unmark(op, device) : entry.mark(op, device, reason);
        }
        refresh();
        return changed;
    }

    // ---- disable, policy, counting ----

    /** Returns whether a present provider has the name. */
    boolean disable(String name) {
        List<ProviderEntry> named;
        synchronized (lock) {
            named = named(name);
            disabled.add(name);
        }
        refresh();
        named.forEach(this::quiet);
        return !named.isEmpty() || name.equals(dev.vt.api.spi.OpProvider.REFERENCE);
    }

    boolean enable(String name) {
        boolean was;
        synchronized (lock) {
            was = disabled.remove(name);
        }
        refresh();
        return was;
    }

    private List<ProviderEntry> named(String name) {
        return entries.stream().filter(e -> e.name().equals(name)).toList();
    }

    Set<String> disabled() {
        synchronized (lock) {
            return new TreeSet<>(disabled);
        }
    }

    Policy policy(Device device) {
        synchronized (lock) {
            return policies.getOrDefault(device.toString(), defaultPolicy);
        }
    }

    void policy(Device device, Policy policy) {
        synchronized (lock) {
            policies.put(device.toString(), policy);
        }
        refresh();
    }

    /** Replaces all policies. */
    void policies(Policy fallback, Map<String, Policy> perDevice) {
        synchronized (lock) {
            defaultPolicy = fallback;
            policies.clear();
            policies.putAll(perDevice);
        }
        refresh();
    }

    void countCalls(boolean on) {
        synchronized (lock) {
            countCalls = on;
        }
        refresh();
    }

    /** One more, or one less, that wants calls counted. */
    void counting(int change) {
        synchronized (lock) {
            counting += change;
        }
        refresh();
    }

    boolean countsCalls() {
        synchronized (lock) {
            return countCalls;
        }
    }

    // ---- reference tier ----

    /** Installs lent kernels; those that are there already stay. Returns how many are new. */
    int install(Device device, Map<Op<?>, ReferenceKernel> kernels) {
        int before;
        int after;
        synchronized (lock) {
            Map<Op<?>, ReferenceKernel> there = reference.computeIfAbsent(device, d -> new HashMap<>());
            before = there.size();
            kernels.forEach(there::putIfAbsent);
            after = there.size();
        }
        if (after > before) {
            refresh();
        }
        return after - before;
    }

    // ---- views ----

    /** All entries in selection order. */
    List<ProviderEntry> entries() {
        synchronized (lock) {
            List<ProviderEntry> sorted = new ArrayList<>(entries);
            sorted.sort(TableBuilder.ORDER);
            return sorted;
        }
    }

    /** Devices that have a backend or published caps, sorted. */
    List<Device> devices() {
        synchronized (lock) {
            return published.keySet().stream().sorted().toList();
        }
    }

    // ---- the one way to a new table ----

    /** Something that has to be asked of a provider before the table is complete. */
    private sealed interface Question {
        record Load(ProviderEntry entry) implements Question {}

        record Supports(ProviderEntry entry, ProviderCaps caps) implements Question {}
    }

    /** Asks what is unknown, then publishes the table that follows from what is known. */
    void refresh() {
        while (true) {
            List<Question> questions;
            synchronized (lock) {
                questions = questions();
                publishTable();
                if (questions.isEmpty()) {
                    return;
                }
            }
            questions.forEach(this::ask);
        }
    }

    private List<Question> questions() {
        List<Question> out = new ArrayList<>();
        for (ProviderEntry e : entries) {
            boolean off = e.declares("name") && disabled.contains(e.name());
            if (e.stage == ProviderEntry.Stage.DECLARED && !off && e.facts.fault() == null) {
                e.stage = ProviderEntry.Stage.ASKING;
                out.add(new Question.Load(e));
            } else if (e.stage == ProviderEntry.Stage.KNOWN
                    && e.facts.fault() == null
                    && !disabled.contains(e.name())) {
                for (ProviderCaps caps : published.values()) {
                    if (caps.device().type().equals(e.facts.type()) && e.claim(caps)) {
                        out.add(new Question.Supports(e, caps));
                    }
                }
            }
        }
        return out;
    }

    private void ask(Question question) {
        switch (question) {
            case Question.Load(ProviderEntry e) -> {
                ProviderEntry.Facts facts = e.load();
                boolean late;
                synchronized (lock) {
                    e.facts = facts;
                    e.owner.name(facts.name());
                    e.stage = ProviderEntry.Stage.KNOWN;
                    late = e.removed;
                }
                if (late && facts.instance() != null) {
                    e.source.release();
                }
            }
            case Question.Supports(ProviderEntry e, ProviderCaps caps) -> {
                ProviderEntry.Verdict verdict = e.ask(caps);
                synchronized (lock) {
                    e.store(verdict);
                }
            }
        }
    }

    private void publishTable() {
        AdmissionRound round = admission.round(backends);
        TableBuilder.Input in = new TableBuilder.Input(
                entries,
                published,
                disabled,
                d -> policies.getOrDefault(d.toString(), defaultPolicy),
                reference,
                round,
                countCalls || counting > 0,
                watch.active(),
                counters);
        table = new TableBuilder(in).build(table.epoch + 1);
        entries.stream().filter(e -> e.stage == ProviderEntry.Stage.ASKING).forEach(round::asking);
        admission.decided(round);
    }
}
