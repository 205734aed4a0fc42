package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.felix.service.command.CommandSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Statements in a real Gogo session. */
class ExecutionTest {
    /** Commands that print, return and fail. */
    static final class Sample extends CommandGroup {
        @Command(value = "gives a table", example = "vt:give-rows")
        Rows<String> giveRows() {
            return Rows.of(List.of("x", "y")).column("name", s -> s);
        }

        @Command(value = "gives back its words", example = "vt:echo a")
        String echo(@Argument(name = "words...", about = "words") List<String> words) {
            return String.join("|", words);
        }

        @Command(value = "fails", example = "vt:fail")
        Object fail() {
            throw VtException.invalidArgument("it failed on purpose");
        }

        @Command(value = "breaks", example = "vt:broken")
        Object broken() {
            throw new IllegalStateException("unforeseen\nwith a second line");
        }
    }

    private final ThreadIOImpl io = new ThreadIOImpl();
    private final CommandProcessorImpl processor = new CommandProcessorImpl(io);
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void start() {
        io.start();
        processor.addConverter(new ViewConverter());
        Sample sample = new Sample();
        for (CommandSpec command : CommandSpec.all(Sample.class)) {
            processor.addCommand("vt", sample, command.name());
        }
    }

    @AfterEach
    void stop() {
        io.stop();
    }

    private int run(String text) {
        PrintStream o = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream e = new PrintStream(err, true, StandardCharsets.UTF_8);
        try (CommandSession session = processor.createSession(InputStream.nullInputStream(), o, e)) {
            session.put("SCOPE", "vt:*");
            return new Execution(session, o, e).run(text);
        }
    }

    private void expect(String output, String errors) {
        assertEquals(output, out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n"));
        assertEquals(errors, err.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n"));
    }

    @Test
    @DisplayName(
            "S8 -c prints the result of each command, not only the last; a command with a hyphen runs; the code is 0")
    void each() {
        assertEquals(0, run("vt:give-rows; vt:echo 'a; b' 0.50 007 1e3 true; vt:echo null; give-rows --json"));
        expect("NAME\nx\ny\na; b|0.50|007|1e3|true\nnull\n[\"x\",\"y\"]\n", "");
    }

    @Test
    @DisplayName("S8 -c stops at the first error, one sentence on standard error, and the code is 1")
    void stops() {
        assertEquals(1, run("vt:echo a; vt:fail; vt:echo b"));
        expect("a\n", "Error: it failed on purpose\n");
    }

    @Test
    @DisplayName("S8 -c an unknown command lists the near names")
    void unknown() {
        assertEquals(1, run("vt:ecoh a"));
        expect("", "Error: no command is named 'vt:ecoh'; near names: vt:echo\n");
    }

    @Test
    @DisplayName("S8 -c an exception that is no sentence of ours is named, in one line")
    void unforeseen() {
        assertEquals(1, run("vt:broken"));
        expect("", "Error: IllegalStateException: unforeseen\n");
    }

    @Test
    @DisplayName("S8 -c with a text that can't be parsed runs nothing")
    void unparsable() {
        assertEquals(1, run("vt:echo a; vt:echo 'b"));
        assertEquals("", out.toString(StandardCharsets.UTF_8));
        assertTrue(err.toString(StandardCharsets.UTF_8).startsWith("Error: the text ends too early"), err.toString());
    }

    @Test
    @DisplayName("S8 results go through variables as objects")
    void objects() {
        assertEquals(0, run("r = (vt:give-rows); vt:echo ($r size)"));
        assertTrue(out.toString(StandardCharsets.UTF_8).endsWith("2" + System.lineSeparator()), out.toString());
    }
}
