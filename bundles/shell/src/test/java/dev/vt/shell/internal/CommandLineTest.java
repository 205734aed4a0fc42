package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.VtException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandLineTest {
    /** A group with every kind of parameter. */
    static final class Sample extends CommandGroup {
        @Command(value = "shows what it was given", example = "vt:show-all a")
        List<Object> showAll(
                @Argument(name = "first", about = "needed") String first,
                @Argument(name = "second", about = "may be left out", optional = true) @Nullable String second,
                @Option(
                                names = {"-s", "--size"},
                                value = "N",
                                about = "a number",
                                otherwise = "7")
                        int size,
                @Option(names = "--name", value = "NAME", about = "a text") @Nullable String name,
                @Option(names = "--wide", about = "a switch") boolean wide,
                @Option(names = "--part", value = "P", about = "a part", otherwise = "0.5") double part) {
            return List.of(first, Page.text(second), size, Page.text(name), wide, part);
        }

        @Command(value = "joins", example = "vt:join a b")
        String join(@Argument(name = "words...", about = "words") List<String> words) {
            return String.join("+", words);
        }
    }

    private static Object run(String... line) {
        return new Sample()._main(line);
    }

    private static String error(String... line) {
        return String.valueOf(assertThrows(VtException.class, () -> run(line)).getMessage());
    }

    @Test
    @DisplayName("S8 flags stand anywhere, in both spellings, with a blank or an equals sign before the value")
    void flags() {
        assertEquals(List.of("a", "-", 7, "-", false, 0.5), run("show-all", "a"));
        assertEquals(
                List.of("a", "b", 3, "n", true, 1.25),
                run("show-all", "--name", "n", "a", "-s", "3", "--wide", "b", "--part=1.25"));
        assertEquals(List.of("a", "-", -3, "-", false, -1.0), run("show-all", "a", "--size=-3", "--part", "-1"));
    }

    @Test
    @DisplayName("S8 behind -- nothing is a flag; a lone hyphen and negative numbers never are")
    void places() {
        assertEquals("--x+-", run("join", "--", "--x", "-"));
        assertEquals("-5+-+-.5", run("join", "-5", "-", "-.5"));
        assertEquals("null", run("join", null));
    }

    @Test
    @DisplayName("S8 --json and --no-format belong to every command")
    void formats() {
        assertEquals("[\"a\",\"-\",7,\"-\",false,0.5]", run("show-all", "a", "--json"));
        assertEquals("\"a+b\"", run("join", "a", "--json", "b"));
        assertEquals("a+b", run("join", "a", "b", "--no-format"));
    }

    @Test
    @DisplayName("S8 an unknown flag is an error that names the near ones and the command's flags")
    void unknownFlag() {
        assertEquals(
                "vt:show-all: no flag is named '--sise'; near names: --size; its flags: --json, --name, --no-format,"
                        + " --part, --size, --wide, -s",
                error("show-all", "a", "--sise", "3"));
    }

    @Test
    @DisplayName("S8 the interactive shell prints an error as a sentence")
    void sentence() {
        assertEquals(
                "Error: no command is named vt:nothing",
                assertThrows(VtException.class, () -> run("nothing")).toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "show-all => vt:show-all: expected first, given nothing; usage: vt:show-all [--name NAME] [--part P]"
                        + " [-s|--size N] [--wide] first [second]",
                "show-all a b c => vt:show-all: expected no more after 'b', given 'c'; usage: vt:show-all [--name"
                        + " NAME] [--part P] [-s|--size N] [--wide] first [second]",
                "show-all a --name => vt:show-all: --name: expected NAME behind it, given nothing",
                "show-all a -s x => vt:show-all: --size: expected a whole number, given 'x'",
                "show-all a -s 1.5 => vt:show-all: --size: expected a whole number, given '1.5'",
                "show-all a --part x => vt:show-all: --part: expected a number, given 'x'",
                "show-all a --wide=yes => vt:show-all: --wide: expected no value, given 'yes'",
                "show-all a -s 1 --size 2 => vt:show-all: --size: expected once, given twice",
                "join => vt:join: expected words..., given nothing; usage: vt:join words...",
                "nothing => no command is named vt:nothing"
            })
    @DisplayName("S8 what does not fit is one sentence")
    void errors(String line, String expected) {
        assertEquals(expected, error(line.split(" ")));
    }
}
