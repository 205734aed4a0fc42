package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * {@code bin/vt} in a pseudo-terminal, which {@code script} of util-linux makes. One thread at a time types. Closing it
 * ends the process whatever it does.
 */
final class Terminal implements AutoCloseable {
    static final String CTRL_C = "\u0003";
    static final String CTRL_D = "\u0004";
    static final String TAB = "\t";
    static final String ENTER = "\r";

    private static final Pattern ESCAPES = Pattern.compile("\u001b(\\[[0-?]*[ -/]*[@-~]|[=>])");

    private final Process process;
    private final OutputStream keys;
    private final Transcript screen;
    private int seen;

    private Terminal(Process process) {
        this.process = process;
        keys = process.getOutputStream();
        screen = Transcript.of(process.getInputStream(), "terminal");
    }

    static Terminal open(Installation vt) throws IOException {
        assertTrue(
                Files.isExecutable(Path.of("/usr/bin/script")),
                "this test needs a terminal: install util-linux (package bsdutils)");
        String start = "stty cols 200 rows 50; exec " + vt.home().resolve("bin/vt");
        ProcessBuilder builder = vt.process().command("/usr/bin/script", "-qefc", start, "/dev/null");
        builder.environment().put("TERM", "xterm");
        builder.environment().put("SHELL", "/bin/sh");
        return new Terminal(builder.redirectErrorStream(true).start());
    }

    /** Sends key presses. */
    void type(String text) throws IOException {
        keys.write(text.getBytes(StandardCharsets.UTF_8));
        keys.flush();
    }

    /**
     * Waits until a text comes on the screen, after all that was waited for before; gives what came, without
     * colours.
     */
    String await(String text) {
        String raw = screen.awaitFrom(seen, text, Installation.PATIENCE);
        seen += raw.length();
        return ESCAPES.matcher(raw).replaceAll("");
    }

    String all() {
        return ESCAPES.matcher(screen.text()).replaceAll("");
    }

    /** Waits for the end of the process; gives its exit code, which {@code script} passes on. */
    int end() throws InterruptedException {
        return process.waitFor(60, TimeUnit.SECONDS)
                ? process.exitValue()
                : fail("the shell did not end; its screen:\n" + all());
    }

    boolean alive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
