package dev.vt.launcher;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the command line asked for. */
sealed interface Arguments {
    String USAGE = """
        usage: vt                      the interactive shell
               vt -c "cmd; cmd"        runs commands, then ends
               vt --script FILE        runs the commands of a file, then ends
               vt --help | --version
        exit code: 0 ok, 1 a command failed, 2 usage\
        """;

    /** The interactive shell. */
    record Interactive() implements Arguments {}

    /** Commands given as text. */
    record Commands(String text) implements Arguments {}

    /** Commands in a file. */
    record Script(Path file) implements Arguments {}

    record Help() implements Arguments {}

    record Version() implements Arguments {}

    /** Anything else, with one sentence that says what is wrong. */
    record Wrong(String sentence) implements Arguments {}

    static Arguments parse(String... args) {
        List<String> all = List.of(args);
        if (all.isEmpty()) {
            return new Interactive();
        }
        return switch (all.get(0)) {
            case "-c" ->
                all.size() == 2 && !all.get(1).isBlank()
                        ? new Commands(all.get(1))
                        : new Wrong("-c takes one argument, the commands in quotes; given " + (all.size() - 1));
            case "--script" -> all.size() == 2 ? script(all.get(1)) : new Wrong("--script takes one argument, a file");
            case "--help", "-h" -> all.size() == 1 ? new Help() : new Wrong("--help takes no argument");
            case "--version" -> all.size() == 1 ? new Version() : new Wrong("--version takes no argument");
            default -> new Wrong("unknown argument '" + all.get(0) + "'");
        };
    }

    private static Arguments script(String name) {
        Path file = Path.of(name);
        return Files.isRegularFile(file) && Files.isReadable(file)
                ? new Script(file.toAbsolutePath())
                : new Wrong("--script: '" + name + "' is not a readable file");
    }

    /** True when commands run without a person at the terminal. */
    default boolean batch() {
        return this instanceof Commands || this instanceof Script;
    }
}
