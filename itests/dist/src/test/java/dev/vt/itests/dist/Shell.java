package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.vt.testkit.Eventually;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * An interactive process whose standard input and output are pipes. One thread at a time gives commands. Closing it
 * ends the input, as a person's Ctrl-D does, and waits for the process's end.
 */
final class Shell implements AutoCloseable {
    private static final String PROMPT = "vt> ";

    private final Process process;
    private final OutputStream in;
    private final Transcript out;
    private final Transcript err;
    private final Installation installation;
    private int commands;

    private Shell(Process process, Installation installation) {
        this.process = process;
        this.installation = installation;
        in = process.getOutputStream();
        out = Transcript.of(process.getInputStream(), "vt standard output");
        err = Transcript.of(process.getErrorStream(), "vt standard error");
    }

    static Shell start(ProcessBuilder builder, Installation installation) throws IOException {
        Shell shell = new Shell(builder.start(), installation);
        try {
            // Commands of vt come with services, so they may come after the prompt.
            shell.await(
                    "the commands",
                    () -> shell.run("vt:deploy list"),
                    text -> text.contains("the deploy folder") || text.contains("FILE"));
        } catch (AssertionError e) {
            shell.process.destroyForcibly();
            throw e;
        }
        return shell;
    }

    /** Runs one command and gives what it printed. No work in the background may end meanwhile. */
    String run(String command) throws IOException {
        commands++;
        int from = out.length();
        // Two blanks are typed and one is printed: a line that the shell draws again is not taken for the answer.
        in.write((command + "\necho end-of  command-" + commands + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
        String mark = "end-of command-" + commands + "\n";
        String all = out.awaitFrom(from, mark, Installation.PATIENCE);
        String text = all.substring(0, all.length() - mark.length());
        return text.replaceFirst(PROMPT + "$", "").replaceFirst("^(" + PROMPT + ")+", "");
    }

    /**
     * Runs a command that lets the work in the background end, and waits until the shell has told of that. The shell
     * tells it in the middle of whatever is being typed, so nothing is typed meanwhile.
     */
    void runToEndOfJob(String command) throws IOException {
        int from = out.length();
        in.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
        out.awaitFrom(from, "]  done ", Installation.PATIENCE);
        run("echo");
    }

    /** Runs one command with {@code --json}. */
    JsonNode json(String command) throws IOException {
        return Json.parse(run(command + " --json"));
    }

    /** Looks again and again, until it is right. */
    <T> T await(String what, Callable<T> look, Predicate<? super T> right) {
        try {
            return Eventually.within(Installation.PATIENCE).see(what, look, right);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\nstandard error:\n" + err.text(), e);
        }
    }

    /** The state of a file in the deploy folder, or "none". */
    String state(String file) throws IOException {
        return row(file).path("state").asText("none");
    }

    String reason(String file) throws IOException {
        return row(file).path("reason").asText("");
    }

    String version(String file) throws IOException {
        return row(file).path("version").asText("");
    }

    private JsonNode row(String file) throws IOException {
        for (JsonNode row : json("vt:deploy list")) {
            if (row.path("file").asText().equals(file)) {
                return row;
            }
        }
        return Json.parse("{}");
    }

    void awaitState(String file, String state) {
        await(file + " is " + state, () -> state(file), state::equals);
    }

    /** The state of a provider, or "none". */
    String provider(String name) throws IOException {
        for (JsonNode row : json("vt:providers")) {
            if (row.path("name").asText().equals(name)) {
                return row.path("state").asText();
            }
        }
        return "none";
    }

    /** Waits for a provider's state and says how long that took. */
    Duration awaitProvider(String name, String state) {
        long from = System.nanoTime();
        await("provider " + name + " is " + state, () -> provider(name), state::equals);
        return Duration.ofNanos(System.nanoTime() - from);
    }

    Installation installation() {
        return installation;
    }

    /** Ends it the way a person does; the process must end by itself, with 0. */
    @Override
    public void close() throws IOException {
        try {
            in.close();
            assertTrue(
                    process.waitFor(60, TimeUnit.SECONDS),
                    () -> "the shell did not end; standard error:\n" + err.text());
            assertEquals(0, process.exitValue(), () -> "exit code of the shell; standard error:\n" + err.text());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
