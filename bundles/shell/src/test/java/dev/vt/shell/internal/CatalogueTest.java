package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is written down in several places about the commands says the same everywhere. */
class CatalogueTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/vt/shell/internal");
    private static final Path PROFILE = Path.of("../../distribution/src/main/dist/conf/gogo/etc/gosh_profile");
    private static final Path PAGE = Path.of("../../docs/shell.md");

    @Test
    @DisplayName("S8 every command has a name at its component, and the other way round")
    void components() throws IOException {
        Pattern function = Pattern.compile("osgi\\.command\\.function=([a-z-]+)");
        TreeSet<String> named = new TreeSet<>();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                function.matcher(Files.readString(file))
                        .results()
                        .forEach(m -> assertTrue(named.add(m.group(1)), m.group(1)));
            }
        }
        assertEquals(HelpCommands.commands().stream().map(CommandSpec::name).toList(), List.copyOf(named));
    }

    @Test
    @DisplayName("S8 the profile of the interactive shell completes every command and flag, and no other")
    void completion() throws IOException {
        List<String> lines = Files.readAllLines(PROFILE);
        for (CommandSpec command : HelpCommands.commands()) {
            List<String> own = lines.stream()
                    .filter(l -> l.contains("-c " + command.fullName() + " "))
                    .toList();
            assertFalse(own.isEmpty(), command.fullName());
            List<String> flags = new ArrayList<>();
            for (String line : own) {
                Pattern.compile(" -([sl]) ([a-z-]+)")
                        .matcher(line)
                        .results()
                        .forEach(m -> flags.add((m.group(1).equals("s") ? "-" : "--") + m.group(2)));
            }
            assertEquals(
                    command.flags().stream()
                            .flatMap(f -> Arrays.stream(f.names()))
                            .sorted()
                            .toList(),
                    flags.stream().sorted().toList(),
                    command.fullName());
        }
        long others = lines.stream().filter(l -> l.contains("complete -c vt:")).count();
        long known = lines.stream()
                .filter(l ->
                        HelpCommands.commands().stream().anyMatch(c -> l.contains("complete -c " + c.fullName() + " ")))
                .count();
        assertEquals(known, others);
    }

    @Test
    @DisplayName("S8 the help shows every flag with a description, and an example that can be parsed")
    void help() {
        for (CommandSpec command : HelpCommands.commands()) {
            CommandLine line =
                    CommandLine.of(new HelpCommands(), new String[] {"help", command.fullName(), "--no-format"});
            String text = String.valueOf(line.run());
            for (Option flag : command.flags()) {
                assertFalse(flag.about().isBlank(), command.name());
                assertTrue(text.contains(String.join(", ", flag.names())) && text.contains(flag.about()), text);
            }
            assertTrue(command.example().startsWith(command.fullName()), command.example());
            assertEquals(1, Statements.of(command.example()).size());
        }
    }

    @Test
    @DisplayName("S8 the page about the shell has every command and flag")
    void page() throws IOException {
        String page = Files.readString(PAGE);
        for (CommandSpec command : HelpCommands.commands()) {
            assertTrue(page.contains("## " + command.fullName()), command.fullName());
            String own = page.substring(page.indexOf("## " + command.fullName() + "\n"));
            String section = own.substring(0, own.indexOf("\n## ", 3) < 0 ? own.length() : own.indexOf("\n## ", 3));
            command.flags()
                    .forEach(f ->
                            assertTrue(section.contains("`" + f.names()[0]), command.fullName() + " " + f.names()[0]));
        }
    }
}
