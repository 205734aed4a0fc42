package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.ops.NearNames;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One typed command: takes the words apart as its annotations say, runs it, and gives what is to be printed. One
 * thread.
 */
final class CommandLine {
    private final CommandGroup group;
    private final CommandSpec spec;
    private final Map<Option, String> given = new HashMap<>();
    private final List<String> places = new ArrayList<>();
    private Format format = Format.TABLE;

    private CommandLine(CommandGroup group, CommandSpec spec) {
        this.group = group;
        this.spec = spec;
    }

    /** Reads a line; what does not fit is an error that says what would. */
    static CommandLine of(CommandGroup group, @Nullable String[] line) {
        String name = String.valueOf(line[0]);
        CommandSpec spec = CommandSpec.all(group.getClass()).stream()
                .filter(s -> s.name().equals(name))
                .findFirst()
                .orElseThrow(() -> VtException.notFound("no command is named " + CommandGroup.SCOPE + ":" + name));
        CommandLine out = new CommandLine(group, spec);
        out.read(Arrays.stream(line).skip(1).map(String::valueOf).toList());
        return out;
    }

    private void read(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("--")) {
                places.addAll(words.subList(i + 1, words.size()));
                break;
            }
            if (!flag(word)) {
                places.add(word);
            } else if (!formatSwitch(word)) {
                i = option(words, i);
            }
        }
        checkPlaces();
    }

    /** A lone hyphen and a negative number are no flags. */
    private static boolean flag(String word) {
        return word.length() > 1
                && word.charAt(0) == '-'
                && !Character.isDigit(word.charAt(1))
                && word.charAt(1) != '.';
    }

    private boolean formatSwitch(String word) {
        switch (word) {
            case Format.JSON_SWITCH -> format = Format.JSON;
            case Format.PLAIN_SWITCH -> format = Format.PLAIN;
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Takes a flag and its value; gives the place of the last word taken. */
    private int option(List<String> words, int at) {
        String word = words.get(at);
        int equals = word.startsWith("--") ? word.indexOf('=') : -1;
        String name = equals < 0 ? word : word.substring(0, equals);
        Option option = spec.flags().stream()
                .filter(f -> Arrays.asList(f.names()).contains(name))
                .findFirst()
                .orElseThrow(() -> unknownFlag(name));
        int last = at;
        String value;
        if (option.value().isEmpty()) {
            if (equals >= 0) {
                throw wrong(name + ": expected no value, given '" + word.substring(equals + 1) + "'");
            }
            value = "true";
        } else if (equals >= 0) {
            value = word.substring(equals + 1);
        } else if (at + 1 < words.size()) {
            last = at + 1;
            value = words.get(last);
        } else {
            throw wrong(name + ": expected " + option.value() + " behind it, given nothing");
        }
        if (given.put(option, value) != null) {
            throw wrong(name + ": expected once, given twice");
        }
        return last;
    }

    private VtException unknownFlag(String name) {
        List<String> names = spec.flagNames();
        return wrong("no flag is named '" + name + "'" + NearNames.hint(name, names) + "; its flags: "
                + String.join(", ", names));
    }

    private VtException wrong(String what) {
        return VtException.invalidArgument(spec.fullName() + ": " + what);
    }

    private void checkPlaces() {
        long needed = spec.arguments().stream().filter(a -> !a.optional()).count();
        boolean open = Arrays.stream(spec.method().getParameters())
                .anyMatch(p -> p.isAnnotationPresent(Argument.class) && p.getType() == List.class);
        if (places.size() < needed) {
            throw wrong("expected " + spec.arguments().get(places.size()).name() + ", given nothing; usage: "
                    + spec.usage());
        }
        if (!open && places.size() > spec.arguments().size()) {
            throw wrong("expected no more after '" + last(spec.arguments().size()) + "', given '"
                    + places.get(spec.arguments().size()) + "'; usage: " + spec.usage());
        }
    }

    private String last(int count) {
        return count == 0 ? spec.fullName() : places.get(count - 1);
    }

    /** Runs it on the terminal of the calling thread. */
    Object run() {
        return run(Terminal.current(format));
    }

    Format format() {
        return format;
    }

    /** Runs it; gives an object that a converter shows, or the finished text. */
    Object run(Terminal terminal) {
        List<@Nullable Object> values = new ArrayList<>();
        int place = 0;
        for (Parameter p : spec.method().getParameters()) {
            Option option = p.getAnnotation(Option.class);
            if (p.getType() == Terminal.class) {
                values.add(terminal);
            } else if (option != null) {
                values.add(convert(option, p.getType()));
            } else if (p.getType() == List.class) {
                values.add(List.copyOf(places.subList(Math.min(place, places.size()), places.size())));
            } else {
                values.add(place < places.size() ? places.get(place) : null);
                place++;
            }
        }
        return terminal.format().apply(call(values.toArray()));
    }

    private Object call(@Nullable Object[] values) {
        try {
            spec.method().setAccessible(true);
            return spec.method().invoke(group, values);
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw new IllegalStateException(e.getCause());
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private @Nullable Object convert(Option option, Class<?> type) {
        String text = given.getOrDefault(option, option.otherwise());
        if (type == boolean.class) {
            return !text.isEmpty();
        }
        if (type == String.class) {
            return text.isEmpty() && !given.containsKey(option) ? null : text;
        }
        String number = text.isEmpty() && !given.containsKey(option) ? "0" : text;
        try {
            if (type == int.class) {
                return Integer.valueOf(number);
            }
            return type == long.class ? (Object) Long.valueOf(number) : (Object) Double.valueOf(number);
        } catch (NumberFormatException e) {
            throw wrong(option.names()[option.names().length - 1] + ": expected a "
                    + (type == double.class ? "number" : "whole number") + ", given '" + text + "'");
        }
    }
}
