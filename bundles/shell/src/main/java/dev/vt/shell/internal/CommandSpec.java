package dev.vt.shell.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What the annotations of one command say.
 *
 * @param name its name without the scope
 * @param method what runs it
 * @param about what it does
 * @param example a line that can be typed
 * @param flags its flags, sorted, without those that every command has
 * @param arguments its arguments in order
 */
record CommandSpec(
        String name, Method method, String about, String example, List<Option> flags, List<Argument> arguments) {
    /** All commands of a class, sorted by name. */
    static List<CommandSpec> all(Class<?> group) {
        return Arrays.stream(group.getDeclaredMethods())
                .filter(m -> m.isAnnotationPresent(Command.class))
                .map(CommandSpec::of)
                .sorted(Comparator.comparing(CommandSpec::name))
                .toList();
    }

    static CommandSpec of(Method method) {
        Command command = Objects.requireNonNull(method.getAnnotation(Command.class));
        List<Option> flags = new ArrayList<>();
        List<Argument> arguments = new ArrayList<>();
        for (Parameter p : method.getParameters()) {
            Stream.ofNullable(p.getAnnotation(Option.class)).forEach(flags::add);
            Stream.ofNullable(p.getAnnotation(Argument.class)).forEach(arguments::add);
        }
        flags.sort(Comparator.comparing(f -> f.names()[f.names().length - 1]));
        return new CommandSpec(
                kebab(method.getName()),
                method,
                command.value(),
                command.example(),
                List.copyOf(flags),
                List.copyOf(arguments));
    }

    private static String kebab(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    String fullName() {
        return CommandGroup.SCOPE + ":" + name;
    }

    /** All spellings of all flags, those of every command too, sorted. */
    List<String> flagNames() {
        Stream<String> own = flags.stream().flatMap(f -> Arrays.stream(f.names()));
        return Stream.concat(own, Stream.of(Format.JSON_SWITCH, Format.PLAIN_SWITCH))
                .sorted()
                .toList();
    }

    /** The line that shows how to call it. */
    String usage() {
        StringBuilder s = new StringBuilder(fullName());
        for (Option f : flags) {
            s.append(" [")
                    .append(String.join("|", f.names()))
                    .append(f.value().isEmpty() ? "]" : " " + f.value() + "]");
        }
        for (Argument a : arguments) {
            s.append(a.optional() ? " [" + a.name() + "]" : " " + a.name());
        }
        return s.toString();
    }
}
