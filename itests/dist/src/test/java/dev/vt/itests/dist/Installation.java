package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * One unpacked package in a folder of its own. A test unpacks it, runs processes from it and reads what they leave; the
 * folder is the test's and goes with it. Any thread.
 */
final class Installation {
    /** Far above what a start or a command takes on a loaded machine. */
    static final Duration PATIENCE = Duration.ofSeconds(120);

    private final Path home;
    private final Path outputs;
    private final AtomicInteger runs = new AtomicInteger();

    private Installation(Path home, Path outputs) {
        this.home = home;
        this.outputs = outputs;
    }

    /** The package that needs a Java 25; gets the one of this test. */
    static Installation unpack(Path folder) throws IOException {
        return unpack(folder, Path.of(System.getProperty("vt.dist.plain", "")));
    }

    /** The package with a Java runtime inside. */
    static Installation unpackWithRuntime(Path folder) throws IOException {
        return unpack(folder, Path.of(System.getProperty("vt.dist.runtime", "")));
    }

    private static Installation unpack(Path folder, Path archive) throws IOException {
        assertTrue(Files.isRegularFile(archive), () -> archive + " is not there; build it first: mvn package");
        Path outputs = Files.createDirectories(folder.resolve("outputs"));
        Path into = Files.createDirectories(folder.resolve("vt"));
        Process tar = new ProcessBuilder(
                        "tar", "-xzf", archive.toString(), "-C", into.toString(), "--strip-components=1")
                .inheritIO()
                .start();
        assertEquals(0, await(tar, PATIENCE), () -> "tar could not unpack " + archive);
        return new Installation(into, outputs);
    }

    Path home() {
        return home;
    }

    Path deploy() {
        return home.resolve("deploy");
    }

    /** Takes a jar out of the bundles that ship with vt. */
    Path take(String jar) throws IOException {
        Path file = home.resolve("system/05").resolve(jar);
        return Files.move(file, outputs.resolve(jar));
    }

    /** A process that has not been started: {@code bin/vt} with the environment of this test and its Java. */
    ProcessBuilder process(String... arguments) {
        List<String> line = new ArrayList<>(List.of(home.resolve("bin/vt").toString()));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line).directory(outputs.toFile());
        builder.environment().put("VT_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("VT_OPTS");
        builder.environment().keySet().removeIf(key -> key.startsWith("VT_OP_"));
        return builder;
    }

    /** Runs {@code bin/vt} to its end. */
    Ended run(String... arguments) throws IOException {
        return run(process(arguments));
    }

    /** Runs commands to their end. */
    Ended command(String commands) throws IOException {
        return run("-c", commands);
    }

    Ended run(ProcessBuilder builder) throws IOException {
        return start(builder).end(PATIENCE);
    }

    Running start(ProcessBuilder builder) throws IOException {
        int number = runs.incrementAndGet();
        Path out = outputs.resolve(number + ".out");
        Path err = outputs.resolve(number + ".err");
        long from = System.nanoTime();
        Process process = builder.redirectInput(
                        ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new Running(process, out, err, from);
    }

    /** A process that runs, with what it has written so far. */
    record Running(Process process, Path outFile, Path errFile, long from) {
        String out() throws IOException {
            return Files.readString(outFile);
        }

        Ended end(Duration patience) throws IOException {
            int code = await(process, patience);
            return new Ended(code, out(), Files.readString(errFile), Duration.ofNanos(System.nanoTime() - from));
        }
    }

    private static int await(Process process, Duration patience) {
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                fail("the process " + process.info().commandLine().orElse("") + " did not end within "
                        + patience.toSeconds() + " s");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            return fail("interrupted");
        }
    }

    /** An interactive shell, driven through its standard input. */
    Shell shell() throws IOException {
        return shell(Map.of());
    }

    /** The same with framework properties for this process. */
    Shell shell(Map<String, String> properties) throws IOException {
        ProcessBuilder builder = process();
        List<String> options = properties.entrySet().stream()
                .map(e -> "-D" + e.getKey() + "=" + e.getValue())
                .toList();
        builder.environment().put("VT_OPTS", String.join(" ", options));
        return Shell.start(builder, this);
    }

    List<String> log() throws IOException {
        return Files.readAllLines(home.resolve("log/vt.log"), StandardCharsets.UTF_8);
    }

    /** Nothing that a user would have to look into. */
    void assertNoErrorInLog() throws IOException {
        List<String> bad = log().stream()
                .filter(line -> line.matches("\\S+ \\S+ \\d+ error .*|\\s+at .*"))
                .toList();
        assertEquals(List.of(), bad, "errors and stack traces in the log");
    }

    /** No virtual machine crashed from here. */
    void assertNoCrashFile() throws IOException {
        try (Stream<Path> all = Stream.concat(Files.walk(home), Files.walk(outputs))) {
            List<Path> crashes = all.filter(p -> p.getFileName().toString().matches("hs_err.*|core(\\.\\d+)?"))
                    .toList();
            assertEquals(List.of(), crashes, "crash files");
        }
    }
}
