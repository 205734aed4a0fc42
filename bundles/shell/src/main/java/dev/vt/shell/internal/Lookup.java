package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.ops.NearNames;
import dev.vt.ops.OpTable;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds what commands are told by name; an unknown name is an error that lists what comes near. Any thread. */
record Lookup(OpRegistry registry, BackendRegistry backends) {
    /** All ops: those of the catalogue, and those that providers brought. Sorted. */
    List<Op<?>> ops() {
        TreeMap<String, Op<?>> all = new TreeMap<>();
        OpTable.all().forEach(op -> all.put(op.name(), op));
        registry.ops().forEach(op -> all.put(op.name(), op));
        return List.copyOf(all.values());
    }

    Op<?> op(String name) {
        List<Op<?>> all = ops();
        return all.stream()
                .filter(op -> op.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> unknown("op", name, all.stream().map(Op::name).toList()));
    }

    Device device(String text) {
        return backends.parse(text);
    }

    /** The devices that a command is about: the named one, or all that are present. */
    List<Device> devices(@Nullable String text) {
        return text == null ? backends.backends().stream().map(b -> b.device()).toList() : List.of(device(text));
    }

    List<String> providers() {
        return registry.providers().stream()
                .map(ProviderStatus::name)
                .distinct()
                .sorted()
                .toList();
    }

    void provider(String name) {
        List<String> all = providers();
        if (!all.contains(name)) {
            throw unknown("provider", name, all);
        }
    }

    private static VtException unknown(String kind, String name, Collection<String> names) {
        String hint = NearNames.hint(name, names);
        return VtException.notFound("no " + kind + " is named '" + name + "'"
                + (hint.isEmpty() && names.size() <= 12 ? "; there are: " + String.join(", ", names) : hint));
    }
}
