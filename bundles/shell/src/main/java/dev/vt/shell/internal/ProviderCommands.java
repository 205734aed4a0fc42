package dev.vt.shell.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.ops.NearNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** Which providers there are, which kernel runs and why, and the switch for each. Any thread. */
@Component(
        service = ProviderCommands.class,
        property = {
            "osgi.command.scope=vt",
            "osgi.command.function=providers",
            "osgi.command.function=why",
            "osgi.command.function=enable",
            "osgi.command.function=disable"
        })
public final class ProviderCommands extends CommandGroup {
    private final OpRegistry registry;
    private final Lookup lookup;
    private final RegistrySettings settings;

    @Activate
    public ProviderCommands(
            @Reference OpRegistry registry,
            @Reference BackendRegistry backends,
            @Reference(cardinality = ReferenceCardinality.OPTIONAL, policyOption = ReferencePolicyOption.GREEDY)
                    @Nullable
                    ConfigurationAdmin admin) {
        this.registry = registry;
        lookup = new Lookup(registry, backends);
        settings = new RegistrySettings(admin);
    }

    /** A provider on a device. */
    record ProviderRow(
            String name,
            int priority,
            String device,
            String state,
            String reason,
            String bundle,
            String version,
            List<String> ops) {
        static ProviderRow of(ProviderStatus p) {
            return new ProviderRow(
                    p.name(),
                    p.priority(),
                    p.device().toString(),
                    p.state().label(),
                    p.reason(),
                    p.bundle(),
                    p.version(),
                    p.ops());
        }
    }

    @Command(
            value = "lists the providers on each device, those that are not used too, with the reason",
            example = "vt:providers -o matmul_bt")
    Rows<ProviderRow> providers(
            @Option(
                            names = {"-d", "--device"},
                            value = "DEVICE",
                            about = "only on this device")
                    @Nullable
                    String device,
            @Option(
                            names = {"-o", "--op"},
                            value = "OP",
                            about = "only those with a kernel for this op, in selection order")
                    @Nullable
                    String op,
            @Option(
                            names = {"-a", "--all"},
                            about = "shows bundles and the names of all ops as well")
                    boolean all) {
        Device only = device == null ? null : lookup.device(device);
        Stream<ProviderRow> rows = op == null ? statuses(only) : forOp(lookup.op(op), only);
        Rows<ProviderRow> out = Rows.of(rows.toList())
                .column("device", ProviderRow::device)
                .column("provider", ProviderRow::name)
                .column("priority", ProviderRow::priority)
                .column("state", ProviderRow::state)
                .column("ops", r -> r.ops().size());
        if (all) {
            out.column("bundle", r -> r.bundle() + " " + r.version());
        }
        out.column("reason", ProviderRow::reason);
        return (all ? out.column("names", ProviderRow::ops) : out)
                .ifEmpty(op == null ? "no provider is here" : "no provider has a kernel for " + op);
    }

    private Stream<ProviderRow> statuses(@Nullable Device only) {
        Comparator<ProviderStatus> order = Comparator.comparing(ProviderStatus::device)
                .thenComparing(ProviderStatus::priority, Comparator.reverseOrder())
                .thenComparing(ProviderStatus::name);
        return registry.providers().stream()
                .filter(p -> only == null || p.device().equals(only))
                .sorted(order)
                .map(ProviderRow::of);
    }

    /** States and reasons are then those of the one op. */
    private Stream<ProviderRow> forOp(Op<?> op, @Nullable Device only) {
        return registry.selections().stream()
                .filter(s ->
                        s.op().equals(op.name()) && (only == null || s.device().equals(only)))
                .flatMap(s -> s.chain().stream().map(link -> row(s, link)));
    }

    private static ProviderRow row(Selection s, Selection.Link link) {
        return new ProviderRow(
                link.name(),
                link.priority(),
                s.device().toString(),
                link.state().label(),
                link.reason(),
                link.bundle(),
                link.version(),
                List.of(s.op()));
    }

    /** One provider in a chain. */
    record LinkRow(
            String name,
            int priority,
            String state,
            String reason,
            long selections,
            Map<String, Long> declines,
            String bundle,
            String version) {
        static LinkRow of(Selection.Link l) {
            return new LinkRow(
                    l.name(),
                    l.priority(),
                    l.state().label(),
                    l.reason(),
                    l.selections(),
                    new TreeMap<>(l.declines()),
                    l.bundle(),
                    l.version());
        }
    }

    /** The chain of one op on one device. */
    record Why(
            String op, String device, @Nullable String selected, List<LinkRow> chain, long fallbacks, boolean counting)
            implements View {
        @Override
        public void show(Page page) {
            page.line(op + " on " + device + ": "
                    + (selected == null
                            ? "no kernel can run"
                            : selected + " is asked first, then those marked below, in this order"));
            if (chain.isEmpty()) {
                page.line("no provider has a kernel for it");
                return;
            }
            page.table(
                    List.of("provider", "priority", "state", "served", "declined", "bundle", "reason"),
                    chain.stream().map(Why::cells).toList());
            if (!counting) {
                page.line("served calls are not counted now; vt:stats --on counts them");
            }
        }

        private static List<Object> cells(LinkRow l) {
            return List.of(l.name, l.priority, l.state, l.selections, l.declines, l.bundle + " " + l.version, l.reason);
        }
    }

    @Command(
            value = "tells for an op on a device which kernel runs, which would be next, and why the others don't",
            example = "vt:why matmul_bt cpu")
    Why why(
            @Argument(name = "op", about = "the op, such as matmul_bt") String op,
            @Argument(name = "device", about = "the device, such as cpu or cuda:1") String device) {
        Selection s = registry.explain(lookup.op(op), lookup.device(device));
        List<LinkRow> chain = s.chain().stream().map(LinkRow::of).toList();
        return new Why(s.op(), s.device().toString(), s.selected(), chain, s.fallbacks(), registry.countsCalls());
    }

    /** What a switch did. */
    record Switched(String name, boolean known, boolean persisted, List<String> disabled, List<String> messages)
            implements View {
        @Override
        public void show(Page page) {
            messages.forEach(page::line);
        }
    }

    @Command(
            value = "switches a provider off by name, on all ops and devices; calls in it are finished first",
            example = "vt:disable vector")
    Switched disable(
            @Argument(name = "name", about = "the provider's name") String name,
            @Option(names = "--persist", about = "writes it to the configuration, so that it holds after a restart")
                    boolean persist) {
        boolean known = registry.disable(name);
        List<String> messages = new ArrayList<>();
        if (!known) {
            messages.add(
                    "warning: no provider is named '" + name + "' now; the name is kept and applies when one arrives"
                            + NearNames.hint(name, lookup.providers()));
        }
        messages.add(name + " is disabled");
        return switched(name, known, persist, true, messages);
    }

    @Command(value = "switches a provider on again", example = "vt:enable vector")
    Switched enable(
            @Argument(name = "name", about = "the provider's name") String name,
            @Option(names = "--persist", about = "takes it out of the configuration, so that it holds after a restart")
                    boolean persist) {
        boolean wasOff = registry.enable(name);
        List<String> known = lookup.providers();
        List<String> messages = new ArrayList<>();
        if (!known.contains(name)) {
            messages.add("warning: no provider is named '" + name + "' now" + NearNames.hint(name, known));
        }
        messages.add(wasOff ? name + " is enabled" : name + " was not disabled");
        return switched(name, known.contains(name), persist, false, messages);
    }

    private Switched switched(String name, boolean known, boolean persist, boolean off, List<String> messages) {
        if (persist) {
            settings.disabled(name, off);
        } else if (settings.disabled().contains(name) != off) {
            messages.add("a restart forgets this; --persist keeps it");
        }
        return new Switched(name, known, persist, List.copyOf(registry.disabled()), List.copyOf(messages));
    }
}
