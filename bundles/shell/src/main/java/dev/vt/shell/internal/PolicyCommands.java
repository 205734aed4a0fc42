package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Policy;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.ops.NearNames;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** What selection may do on each device. Any thread. */
@Component(
        service = PolicyCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=policy"})
public final class PolicyCommands extends CommandGroup {
    private static final Pattern NAME = Pattern.compile("[a-z0-9.-]{1,63}");

    private final OpRegistry registry;
    private final Lookup lookup;
    private final RegistrySettings settings;

    @Activate
    public PolicyCommands(
            @Reference OpRegistry registry,
            @Reference BackendRegistry backends,
            @Reference(cardinality = ReferenceCardinality.OPTIONAL, policyOption = ReferencePolicyOption.GREEDY)
                    @Nullable
                    ConfigurationAdmin admin) {
        this.registry = registry;
        lookup = new Lookup(registry, backends);
        settings = new RegistrySettings(admin);
    }

    /** The policy of a device. */
    record PolicyRow(String device, String fallback, List<String> allow, List<String> deny) {
        static PolicyRow of(Device device, Policy p) {
            return new PolicyRow(device.toString(), p.fallback().label(), sorted(p.allow()), sorted(p.deny()));
        }

        private static List<String> sorted(Set<String> names) {
            return List.copyOf(new TreeSet<>(names));
        }
    }

    @Command(
            value = "shows what selection may do on each device, or sets it",
            example = "vt:policy cpu --fallback strict --deny vector")
    Rows<PolicyRow> policy(
            Terminal terminal,
            @Argument(name = "device", about = "only this device", optional = true) @Nullable String device,
            @Option(names = "--fallback", value = "MODE", about = "what a decline does: allow, reference-off or strict")
                    @Nullable
                    String fallback,
            @Option(
                            names = "--allow",
                            value = "NAMES",
                            about = "the only providers permitted, separated by commas; '' permits all")
                    @Nullable
                    String allow,
            @Option(
                            names = "--deny",
                            value = "NAMES",
                            about = "providers kept out, separated by commas; '' keeps none out")
                    @Nullable
                    String deny,
            @Option(names = "--persist", about = "writes it to the configuration, so that it holds after a restart")
                    boolean persist) {
        List<Device> devices = lookup.devices(device);
        boolean changes = fallback != null || allow != null || deny != null;
        if (changes) {
            Policy.@Nullable Fallback mode = fallback == null ? null : mode(fallback);
            @Nullable Set<String> allowed = allow == null ? null : names("--allow", allow, terminal);
            @Nullable Set<String> denied = deny == null ? null : names("--deny", deny, terminal);
            devices.forEach(d -> set(d, mode, allowed, denied));
        }
        if (persist) {
            devices.forEach(d -> settings.policy(d, registry.policy(d)));
        }
        Rows<PolicyRow> rows = Rows.of(devices.stream()
                        .map(d -> PolicyRow.of(d, registry.policy(d)))
                        .toList())
                .column("device", PolicyRow::device)
                .column("fallback", PolicyRow::fallback)
                .column("allow", PolicyRow::allow)
                .column("deny", PolicyRow::deny)
                .ifEmpty("no device is present");
        return changes && !persist ? rows.footer("a restart forgets this; --persist keeps it") : rows;
    }

    private void set(
            Device device, Policy.@Nullable Fallback mode, @Nullable Set<String> allow, @Nullable Set<String> deny) {
        Policy before = registry.policy(device);
        registry.policy(
                device,
                new Policy(
                        mode == null ? before.fallback() : mode,
                        allow == null ? before.allow() : allow,
                        deny == null ? before.deny() : deny));
    }

    private static Policy.Fallback mode(String text) {
        return Arrays.stream(Policy.Fallback.values())
                .filter(f -> f.label().equals(text))
                .findFirst()
                .orElseThrow(() -> VtException.invalidArgument("vt:policy: --fallback: expected one of "
                        + Stream.of(Policy.Fallback.values())
                                .map(Policy.Fallback::label)
                                .collect(Collectors.joining(", "))
                        + ", given '" + text + "'"));
    }

    /** A name that nobody has now may come later, so it is kept; a warning tells of a slip. */
    private Set<String> names(String flag, String list, Terminal terminal) {
        List<String> known = lookup.providers();
        Set<String> out = new TreeSet<>();
        for (String item : list.split(",")) {
            String name = item.strip();
            if (name.isEmpty()) {
                continue;
            }
            if (!NAME.matcher(name).matches()) {
                throw VtException.invalidArgument("vt:policy: " + flag
                        + ": expected names of 1 to 63 characters [a-z0-9.-], given '" + name + "'");
            }
            if (!known.contains(name)) {
                terminal.err()
                        .println("warning: " + flag + ": no provider is named '" + name + "' now; the name is kept"
                                + NearNames.hint(name, known));
            }
            out.add(name);
        }
        return out;
    }
}
