package dev.vt.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher as a process of its own, with a real framework and a bundle that stands in for the shell. */
@Timeout(60)
class LauncherProcessTest {
    @TempDir
    Path home;

    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void install() throws IOException {
        Files.createDirectories(home.resolve("conf"));
        Files.writeString(
                home.resolve("conf/framework.properties"),
                "org.osgi.framework.storage=${vt.cache}/felix\n"
                        + "org.osgi.framework.startlevel.beginning=10\n"
                        + "vt.stop.seconds=1\n");
        bundle(home.resolve("system/05/runner.jar"));
    }

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    @DisplayName("the code that the runner gives is the exit code, and nothing is left in the cache")
    void codes() throws Exception {
        assertEquals(0, finish(start("-c", "0")));
        assertEquals(1, finish(start("-c", "1")));
        assertNothingLeft();
    }

    @Test
    @DisplayName("usage errors exit with 2 and start nothing")
    void usage() throws Exception {
        assertEquals(2, finish(start("--nonsense")));
        assertFalse(Files.exists(home.resolve("cache")));
    }

    @Test
    @DisplayName("commands without a bundle that runs them are an error, not a hang")
    void noRunner() throws Exception {
        Files.delete(home.resolve("system/05/runner.jar"));
        plain(home.resolve("system/05/other.jar"));
        Process process = start("-c", "0");
        assertEquals(1, finish(process));
        assertTrue(errors(process).contains("no bundle here runs commands"));
    }

    @Test
    @DisplayName("O3.13 SIGTERM stops the framework in order and what bundles say meanwhile is in the log")
    void sigterm() throws Exception {
        Process process = start("-c", "wait");
        BufferedReader out = process.inputReader();
        assertTrue(out.readLine().startsWith("started"));
        process.toHandle().destroy();
        assertEquals("stopped", out.readLine());
        assertEquals(143, finish(process));
        assertTrue(Files.readString(home.resolve("log/vt.log")).contains("runner stopped"));
        assertNothingLeft();
    }

    @Test
    @DisplayName("O3.13 a bundle that never stops delays the end by a bounded time and is named")
    void stuck() throws Exception {
        Process process = start("-c", "stuck");
        assertEquals(1, finish(process));
        assertTrue(errors(process).contains("test.runner"));
    }

    @Test
    @DisplayName("two processes of one installation run side by side, each in a cache of its own")
    void twoAtOnce() throws Exception {
        Process one = start("-c", "wait");
        Process two = start("-c", "wait");
        String first = one.inputReader().readLine();
        String second = two.inputReader().readLine();
        assertTrue(first.startsWith("started") && second.startsWith("started"));
        assertFalse(first.equals(second));
        one.toHandle().destroy();
        two.toHandle().destroy();
        finish(one);
        finish(two);
        assertNothingLeft();
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--sun-misc-unsafe-memory-access=allow",
                "-Djava.util.logging.manager=dev.vt.launcher.ExitLogManager",
                "-Dvt.home=" + home,
                "-cp",
                classPath(),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        return process;
    }

    private static String classPath() {
        return Stream.of(Main.class, org.osgi.framework.launch.Framework.class)
                .map(c -> Path.of(c.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .toString())
                .reduce((a, b) -> a + File.pathSeparator + b)
                .orElseThrow();
    }

    private static int finish(Process process) throws InterruptedException {
        assertTrue(process.waitFor(40, TimeUnit.SECONDS), "the process has not ended");
        return process.exitValue();
    }

    private static String errors(Process process) throws IOException {
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private void assertNothingLeft() throws IOException {
        try (Stream<Path> left = Files.list(home.resolve("cache"))) {
            assertEquals(List.of(), left.toList());
        }
    }

    private static void bundle(Path file) throws IOException {
        Manifest manifest = manifest("test.runner");
        manifest.getMainAttributes().putValue("Bundle-Activator", CommandRunner.class.getName());
        manifest.getMainAttributes().putValue("Import-Package", "org.osgi.framework");
        write(file, manifest, CommandRunner.class);
    }

    private static void plain(Path file) throws IOException {
        write(file, manifest("test.other"));
    }

    private static Manifest manifest(String name) {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Bundle-ManifestVersion", "2");
        manifest.getMainAttributes().putValue("Bundle-SymbolicName", name);
        return manifest;
    }

    private static void write(Path file, Manifest manifest, Class<?>... classes) throws IOException {
        Files.createDirectories(file.getParent());
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            for (Class<?> each : classes) {
                String entry = each.getName().replace('.', '/') + ".class";
                jar.putNextEntry(new JarEntry(entry));
                try (InputStream in = each.getResourceAsStream("/" + entry)) {
                    in.transferTo(jar);
                }
            }
        }
    }
}
