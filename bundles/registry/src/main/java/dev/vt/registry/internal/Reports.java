package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Op;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells what is selected and why, from the table and the entries of the moment. */
final class Reports {
    private final SelectionCore core;

    Reports(SelectionCore core) {
        this.core = core;
    }

    Selection selection(Op<?> op, Device device) {
        Route route = core.table().route(op, device);
        long fallbacks = core.counters.value(core.counters.fallbacks(op.id(), device));
        if (route == null) {
            return new Selection(op.name(), device, null, List.of(), fallbacks);
        }
        return new Selection(
                op.name(),
                device,
                route.selected(),
                route.chain.stream().map(Link::describe).toList(),
                fallbacks);
    }

    List<Selection> selections() {
        return core.table().all().stream().map(r -> selection(r.op, r.device)).toList();
    }

    List<ProviderStatus> providers() {
        SelectionTable table = core.table();
        List<Device> devices = core.devices();
        List<ProviderStatus> out = new ArrayList<>();
        for (ProviderEntry e : core.entries()) {
            List<Device> own = devices.stream()
                    .filter(d -> d.type().name().equals(e.typeName()))
                    .toList();
            if (own.isEmpty()) {
                out.add(status(e, deviceOf(e), Selection.State.REFUSED, "no " + e.typeName() + " device is present"));
            }
            for (Device d : own) {
                Standing s = standing(e, d, table);
                out.add(status(e, d, s.state, s.reason));
            }
        }
        out.sort(Comparator.comparing(ProviderStatus::device));
        return out;
    }

    private static Device deviceOf(ProviderEntry e) {
        DeviceType type = e.facts.type();
        if (type != null) {
            return Device.of(type);
        }
        String name = Objects.requireNonNullElse(e.typeName(), "cpu");
        return Device.of(new DeviceType(name.matches("[a-z][a-z0-9]{0,14}") ? name : "unknown", DeviceType.LIMIT - 1));
    }

    private static ProviderStatus status(ProviderEntry e, Device device, Selection.State state, String reason) {
        Selection.State shown = e.facts.fault() != null ? Selection.State.REJECTED : state;
        String why = e.facts.fault() != null ? Objects.requireNonNull(e.facts.fault()) : reason;
        return new ProviderStatus(
                e.name(), e.facts.priority(), device, shown, why, e.origin.bundle(), e.origin.version(), e.opNames());
    }

    private record Standing(Selection.State state, String reason) {}

    private Standing standing(ProviderEntry e, Device device, SelectionTable table) {
        if (e.stage != ProviderEntry.Stage.KNOWN && core.disabled().contains(e.name())) {
            return new Standing(Selection.State.DISABLED, "disabled by name; not loaded");
        }
        int selected = 0;
        int eligible = 0;
        int offered = 0;
        Link out = null;
        List<String> refused = new ArrayList<>();
        for (Op<?> op : e.facts.kernels().keySet()) {
            Link link = link(table.route(op, device), e);
            if (link == null) {
                continue;
            }
            offered++;
            if (link.state == Selection.State.SELECTED) {
                selected++;
            }
            if (link.eligible()) {
                eligible++;
            } else {
                out = link;
                refused.add(op + ": " + link.reason);
            }
        }
        if (selected > 0) {
            return new Standing(
                    Selection.State.SELECTED,
                    "asked first for " + selected + " of " + offered + " ops" + refusals(refused));
        }
        if (eligible > 0) {
            return new Standing(
                    Selection.State.BELOW,
                    refused.isEmpty()
                            ? "below others for all its " + offered + " ops"
                            : "below others for " + eligible + " of " + offered + " ops" + refusals(refused));
        }
        return out != null
                ? new Standing(out.state, out.reason)
                : new Standing(Selection.State.REJECTED, "it has no kernels");
    }

    /** Kernels that are out although others of the provider are in. */
    private static String refusals(List<String> refused) {
        return refused.isEmpty() ? "" : "; refused: " + String.join("; ", refused);
    }

    private static @Nullable Link link(@Nullable Route route, ProviderEntry e) {
        if (route != null) {
            for (Link l : route.chain) {
                if (l.owner == e.owner) {
                    return l;
                }
            }
        }
        return null;
    }

    /** Names, priorities, states, origins and caps; no counters, reasons, addresses or ids. */
    String digest() {
        StringBuilder text = new StringBuilder();
        for (BackendEntry b : core.backends()) {
            text.append("device ")
                    .append(b.device())
                    .append(' ')
                    .append(b.name())
                    .append(' ')
                    .append(core.caps(b.device()).brief())
                    .append(' ')
                    .append(Long.toHexString(core.caps(b.device()).features()))
                    .append('\n');
        }
        for (Route r : core.table().all()) {
            text.append("op ").append(r.op.name()).append(' ').append(r.device).append('\n');
            for (Link l : r.chain) {
                text.append("  ")
                        .append(l.name)
                        .append(' ')
                        .append(l.priority)
                        .append(' ')
                        .append(l.state.label())
                        .append(' ')
                        .append(l.origin.bundle())
                        .append(' ')
                        .append(l.origin.version())
                        .append('\n');
            }
        }
        try {
            byte[] sum =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sum);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
