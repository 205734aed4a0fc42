package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Policy;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.tensor.DType;
import dev.vt.model.SyntheticModel;
import dev.vt.ops.NearNames;
import java.util.Arrays;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The names that other commands take; the interactive shell completes with them. Any thread. */
@Component(
        service = NamesCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=names"})
public final class NamesCommands extends CommandGroup {
    private static final List<String> KINDS =
            List.of("commands", "devices", "dtypes", "fallbacks", "ops", "presets", "providers");

    private final Lookup lookup;

    @Activate
    public NamesCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        lookup = new Lookup(registry, backends);
    }

    @Command(value = "lists the names that commands take", example = "vt:names ops")
    Rows<String> names(
            @Argument(name = "kind", about = "commands, devices, dtypes, fallbacks, ops, presets or providers")
                    String kind) {
        List<String> names = switch (kind) {
            case "commands" ->
                HelpCommands.commands().stream().map(CommandSpec::fullName).toList();
            case "devices" ->
                lookup.devices(null).stream().map(Object::toString).toList();
            case "dtypes" -> Arrays.stream(DType.values()).map(DType::label).toList();
            case "fallbacks" ->
                Arrays.stream(Policy.Fallback.values())
                        .map(Policy.Fallback::label)
                        .toList();
            case "ops" -> lookup.ops().stream().map(Op::name).toList();
            case "presets" -> SyntheticModel.Spec.presets().stream().sorted().toList();
            case "providers" -> lookup.providers();
            default ->
                throw VtException.invalidArgument("vt:names: expected one of " + String.join(", ", KINDS) + ", given '"
                        + kind + "'" + NearNames.hint(kind, KINDS));
        };
        return Rows.of(names).column(kind, name -> name).ifEmpty("none");
    }
}
