package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.op.Op;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.spi.OpProviderProperties;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the registry knows of one provider. Its fields belong to the lock of {@link SelectionCore}, but for the asking of the
 * provider itself ({@link #load} and {@link #ask}), which runs without a lock and on one thread at a time.
 */
final class ProviderEntry {
    /** How far the asking has come. */
    enum Stage {
        /** Only what is declared is known. */
        DECLARED,
        /** Some thread is asking. */
        ASKING,
        /** Everything is known. */
        KNOWN
    }

    /** What a predicate said, for one publication of caps. */
    record Verdict(ProviderCaps caps, boolean yes, String reason) {}

    /** What a provider said about itself. */
    record Facts(
            String name,
            int priority,
            @Nullable DeviceType type,
            Map<Op<?>, Object> kernels,
            @Nullable OpProvider instance,
            @Nullable String fault) {}

    final ProviderSource source;
    final Origin origin;
    final Owner owner;
    Map<String, @Nullable Object> properties;
    Stage stage = Stage.DECLARED;
    Facts facts;

    /** Kernels that someone saw to be wrong, with the reason. */
    private final Map<Device, Map<Op<?>, String>> marks = new HashMap<>();

    /** What admission found, by backend; the same device may have another one later. */
    private final Map<BackendEntry, Trial.Result> admissions = new IdentityHashMap<>();

    private final Map<Device, Verdict> verdicts = new HashMap<>();
    private final Map<Device, ProviderCaps> asking = new HashMap<>();
    boolean removed;

    ProviderEntry(ProviderSource source) {
        this.source = source;
        this.origin = source.origin();
        this.properties = Map.copyOf(nonNull(source.properties()));
        this.facts = declared();
        this.owner = new Owner(facts.name);
    }

    private static Map<String, Object> nonNull(Map<String, @Nullable Object> properties) {
        Map<String, Object> out = new HashMap<>();
        properties.forEach((k, v) -> out.put(k, v == null ? NullValue.NULL : v));
        return out;
    }

    /** Stands for a property that is there with the value null. */
    private enum NullValue {
        NULL;

        @Override
        public String toString() {
            return "null";
        }
    }

    String name() {
        return facts.name;
    }

    boolean declares(String property) {
        return properties.containsKey(OpProviderProperties.PREFIX_ + property);
    }

    private @Nullable Object property(String property) {
        Object value = properties.get(OpProviderProperties.PREFIX_ + property);
        return value == NullValue.NULL ? null : value;
    }

    /** What the declared properties alone say. */
    private Facts declared() {
        Object name = property("name");
        String shown = name instanceof String s ? s : "?";
        String fault = declares("name") ? Names.fault(name instanceof String s ? s : null) : null;
        int priority = 0;
        if (declares("priority")) {
            try {
                priority = Priorities.parse(property("priority"));
            } catch (RuntimeException e) {
                fault = said(e);
            }
        }
        return new Facts(shown, priority, null, Map.of(), null, fault);
    }

    /** New declared properties; the priority takes effect, a changed name is a fault. */
    Facts redeclared(Map<String, @Nullable Object> changed) {
        properties = Map.copyOf(nonNull(changed));
        if (facts.instance == null) {
            return declared();
        }
        return facts(facts.instance, facts.kernels, facts.type);
    }

    /** Asks the provider everything. Foreign code: no lock may be held. */
    Facts load() {
        OpProvider instance;
        try {
            instance = Objects.requireNonNull(source.instance(), "instance");
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            return faulty(null, "failed: it could not be made: " + said(e));
        }
        String asked = "deviceType()";
        try {
            DeviceType type = Objects.requireNonNull(instance.deviceType(), "its device type is null");
            asked = "kernels()";
            Map<Op<?>, Object> kernels = Objects.requireNonNull(instance.kernels(), "its kernel set is null")
                    .asMap();
            return facts(instance, kernels, type);
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            return faulty(instance, "failed: " + asked + " threw: " + said(e));
        }
    }

    private Facts facts(OpProvider instance, Map<Op<?>, Object> kernels, @Nullable DeviceType type) {
        String name = facts.name;
        String fault = null;
        int priority = 0;
        try {
            String given = instance.name();
            fault = Names.fault(given);
            name = given == null ? name : given;
            if (fault == null && declares("name") && !given.equals(property("name"))) {
                fault = "its name() is '" + given + "' but its property vt.provider.name is '" + property("name") + "'";
            }
            if (fault == null && name.equals(OpProvider.REFERENCE)) {
                fault = "the name " + OpProvider.REFERENCE + " belongs to the reference tier";
            }
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            fault = "failed: name() threw: " + said(e);
        }
        try {
            priority = declares("priority") ? Priorities.parse(property("priority")) : instance.priority();
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            fault = fault != null ? fault : declares("priority") ? said(e) : "failed: priority() threw: " + said(e);
        }
        Object device = property("device");
        if (fault == null && type != null && declares("device") && !type.name().equals(device)) {
            fault = "its deviceType() is '" + type + "' but its property vt.provider.device is '" + device + "'";
        }
        return new Facts(name, priority, type, kernels, instance, fault);
    }

    private Facts faulty(@Nullable OpProvider instance, String fault) {
        return new Facts(
                facts.name, facts.priority, null, Map.of(), instance, facts.fault != null ? facts.fault : fault);
    }

    /** Claims the asking of the predicate for present caps; false when it is known or another thread asks. */
    boolean claim(ProviderCaps caps) {
        Verdict known = verdicts.get(caps.device());
        if (known != null && known.caps == caps) {
            return false;
        }
        return asking.put(caps.device(), caps) != caps;
    }

    /** Asks the predicate. Foreign code: no lock may be held. */
    Verdict ask(ProviderCaps caps) {
        OpProvider instance = Objects.requireNonNull(facts.instance);
        try {
            boolean yes = instance.supports(caps);
            return new Verdict(caps, yes, yes ? "" : "needs " + instance.requirement());
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            return new Verdict(caps, false, "failed: supports() threw: " + said(e));
        }
    }

    void store(Verdict verdict) {
        Device device = verdict.caps.device();
        if (asking.get(device) == verdict.caps) {
            verdicts.put(device, verdict);
        }
    }

    /** The verdict for present caps, or null while it is being asked for. */
    @Nullable
    Verdict verdict(ProviderCaps caps) {
        Verdict v = verdicts.get(caps.device());
        return v != null && v.caps == caps ? v : null;
    }

    /** Marks a kernel as wrong; false when it was marked before. */
    boolean mark(Op<?> op, Device device, String reason) {
        return marks.computeIfAbsent(device, d -> new HashMap<>()).put(op, reason) == null;
    }

    /** Undoes a mark, and what admission has against the kernel; false when there was neither. */
    boolean unmark(Op<?> op, Device device) {
        boolean marked = marks.getOrDefault(device, new HashMap<>()).remove(op) != null;
        boolean failed = false;
        for (Map.Entry<BackendEntry, Trial.Result> e : admissions.entrySet()) {
            if (e.getKey().device().equals(device)) {
                failed |= e.getValue().failures().remove(op) != null;
            }
        }
        return marked || failed;
    }

    @Nullable
    String marked(Op<?> op, Device device) {
        return marks.getOrDefault(device, Map.of()).get(op);
    }

    void admit(BackendEntry backend, Trial.Result result) {
        admissions.put(backend, result);
    }

    /** What admission found on a backend; null while it was not tested there. */
    Trial.@Nullable Result admission(BackendEntry backend) {
        return admissions.get(backend);
    }

    /** A backend has left. */
    void forget(BackendEntry backend) {
        admissions.remove(backend);
    }

    /** The type that the provider declares or has; null while unknown. */
    @Nullable
    String typeName() {
        if (facts.type != null) {
            return facts.type.name();
        }
        return property("device") instanceof String s ? s : null;
    }

    /** All kernel names, sorted. */
    List<String> opNames() {
        return facts.kernels.keySet().stream().map(Op::name).sorted().toList();
    }

    private static String said(Throwable e) {
        String message = e.getMessage();
        return message == null
                ? e.getClass().getName()
                : e instanceof dev.vt.api.VtException ? message : e.getClass().getSimpleName() + ": " + message;
    }
}
