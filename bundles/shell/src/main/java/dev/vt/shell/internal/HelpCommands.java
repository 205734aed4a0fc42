package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.ops.NearNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** The help of all commands of this bundle, from their annotations. Any thread. */
@Component(
        service = HelpCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=help"})
public final class HelpCommands extends CommandGroup {
    /** Listed here so that the help is complete whether or not a group could start. */
    private static final List<Class<? extends CommandGroup>> GROUPS = List.of(
            BenchCommands.class,
            DeviceCommands.class,
            GenerateCommands.class,
            HelpCommands.class,
            ModelBenchCommands.class,
            NamesCommands.class,
            PolicyCommands.class,
            ProviderCommands.class,
            ReportCommands.class,
            StatisticsCommands.class,
            VerifyCommands.class);

    @Activate
    public HelpCommands() {}

    /** The commands that need no bundle which may be missing, sorted. */
    static List<CommandSpec> always() {
        return sorted(GROUPS.stream().flatMap(g -> CommandSpec.all(g).stream()));
    }

    /** All commands, sorted. */
    static List<CommandSpec> commands() {
        try {
            return sorted(Stream.concat(always().stream(), CommandSpec.all(DeployCommands.class).stream()));
        } catch (NoClassDefFoundError e) {
            // The deploy bundle is not here, and so its command is not either.
            return always();
        }
    }

    private static List<CommandSpec> sorted(Stream<CommandSpec> commands) {
        return commands.sorted(Comparator.comparing(CommandSpec::name)).toList();
    }

    /** One command in the list. */
    record Entry(String command, String about) {}

    /** A flag or an argument. */
    record Word(String names, String about) {}

    /** All about one command. */
    record CommandPage(
            String command, String about, String usage, List<Word> flags, List<Word> arguments, String example)
            implements View {
        @Override
        public void show(Page page) {
            page.line(command + ": " + about);
            page.line("usage: " + usage);
            List<List<String>> rows = new ArrayList<>();
            Stream.concat(arguments.stream(), flags.stream()).forEach(w -> rows.add(List.of("  " + w.names, w.about)));
            page.table(List.of("  argument or flag", "meaning"), rows);
            page.line("example: " + example);
        }
    }

    @Command(value = "lists the commands, or shows all about one", example = "vt:help vt:why")
    Object help(@Argument(name = "command", about = "the command", optional = true) @Nullable String command) {
        if (command == null) {
            return Rows.of(commands().stream()
                            .map(c -> new Entry(c.fullName(), c.about()))
                            .toList())
                    .column("command", Entry::command)
                    .column("about", Entry::about)
                    .footer("help COMMAND shows its flags; felix:help lists the commands of the framework too");
        }
        String name = command.startsWith(SCOPE + ":") ? command.substring(SCOPE.length() + 1) : command;
        return commands().stream()
                .filter(c -> c.name().equals(name))
                .findFirst()
                .map(HelpCommands::page)
                .orElseThrow(() -> {
                    List<String> names =
                            commands().stream().map(CommandSpec::fullName).toList();
                    return VtException.notFound("no command is named '" + command + "'" + NearNames.hint(command, names)
                            + "; felix:help tells of commands outside vt:");
                });
    }

    private static CommandPage page(CommandSpec c) {
        List<Word> flags = new ArrayList<>();
        for (Option f : c.flags()) {
            flags.add(new Word(String.join(", ", f.names()) + (f.value().isEmpty() ? "" : " " + f.value()), f.about()));
        }
        flags.add(new Word(Format.JSON_SWITCH, "prints JSON"));
        flags.add(new Word(Format.PLAIN_SWITCH, "prints values separated by tabs, without a header"));
        List<Word> arguments =
                c.arguments().stream().map(a -> new Word(a.name(), a.about())).toList();
        return new CommandPage(c.fullName(), c.about(), c.usage(), flags, arguments, c.example());
    }
}
