package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.ops.OpTable;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.ProviderBundle;
import dev.vt.testkit.Slices;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jars come to, change in and leave the deploy folder of a running process. */
class HotDeployIT {
    private static final Map<String, String> OFTEN = Map.of("vt.deploy.poll", "20");

    @TempDir
    Path folder;

    private Installation vt;

    @BeforeEach
    void unpack() throws IOException {
        vt = Installation.unpack(folder);
    }

    /** One whose kernel is right, since a wrong one is not let in. */
    private static ProviderBundle.Builder provider(String name) {
        return ProviderBundle.named(name).priority(50).kernel(OpTable.MATMUL, KernelBehaviour.forwards());
    }

    @Test
    @DisplayName("D1 a jar dropped in is live soon, a new version of it is updated in place, and it leaves with its "
            + "file")
    void comesChangesLeaves() throws IOException {
        try (Shell shell = vt.shell()) {
            Path jar = provider("fast").build().writeTo(vt.deploy());
            Duration live = shell.awaitProvider("fast", "selected");
            String id = bundleId(shell);
            provider("fast").version("1.0.1").build().writeTo(jar);
            long from = System.nanoTime();
            shell.await("the new version", () -> shell.version(jar.getFileName().toString()), "1.0.1"::equals);
            Duration updated = Duration.ofNanos(System.nanoTime() - from);
            shell.awaitProvider("fast", "selected");
            assertEquals(id, bundleId(shell), "the bundle is the same one");
            Files.delete(jar);
            Duration gone = shell.awaitProvider("fast", "none");
            assertEquals(
                    "vector", shell.json("vt:why matmul cpu").path("selected").asText());
            System.out.println("D1 live after " + live.toMillis() + " ms, updated after " + updated.toMillis()
                    + " ms, gone after "
                    + gone.toMillis() + " ms; the specification wants 2000");
        }
        vt.assertNoErrorInLog();
    }

    private static String bundleId(Shell shell) throws IOException {
        return shell.run("felix:lb -s")
                .lines()
                .filter(line -> line.contains("test.provider.fast"))
                .findFirst()
                .orElseThrow()
                .split("\\|")[0]
                .strip();
    }

    @ParameterizedTest(name = "the file has its full length first: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("O1.1 a jar that arrives in 20 slices is tried by the framework once, after the last one")
    void slices(boolean sparse) throws IOException {
        ProviderBundle bundle = provider("slow-copy").build();
        Path file = vt.deploy().resolve("slow-copy.jar");
        try (Shell shell = vt.shell(OFTEN);
                Slices slices = sparse ? bundle.slicedSparse(file, 20) : bundle.sliced(file, 20)) {
            while (slices.remaining() > 1) {
                slices.next();
                awaitLooks(shell);
                assertEquals("waiting", shell.state("slow-copy.jar"), () -> slices.remaining() + " slices are missing");
            }
            assertFalse(
                    String.join("\n", vt.log()).contains("slow-copy.jar: test.provider"), "an attempt to install it");
            assertEquals("none", shell.provider("slow-copy"));
            slices.next();
            shell.awaitProvider("slow-copy", "selected");
        }
        assertEquals(
                1,
                vt.log().stream()
                        .filter(line -> line.contains("installed slow-copy.jar"))
                        .count());
        assertTrue(vt.log().stream()
                        .filter(line -> line.contains("slow-copy.jar is not deployed so far"))
                        .count()
                <= 1);
        vt.assertNoErrorInLog();
    }

    /** Waits until the deployer has looked at the folder some times: until it has judged a file that comes now. */
    private void awaitLooks(Shell shell) throws IOException {
        Path probe = Files.writeString(vt.deploy().resolve("probe.jar"), "not a jar");
        shell.awaitState("probe.jar", "refused");
        Files.delete(probe);
        shell.awaitState("probe.jar", "removed");
    }

    @Test
    @DisplayName("O1.2 four jars from four threads while a fifth is updated, again and again: always the expected "
            + "set, no zip error")
    void atOnce() throws Exception {
        List<ProviderBundle> four = List.of(
                provider("one").build(),
                provider("two").build(),
                provider("three").build(),
                provider("four").build());
        Path fifth = vt.deploy().resolve("fifth.jar");
        List<String> with = List.of("fifth", "four", "one", "three", "two", "vector", "vt-native");
        List<String> without = List.of("fifth", "vector", "vt-native");
        long end = System.nanoTime() + Duration.ofSeconds(15).toNanos();
        int rounds = 0;
        try (Shell shell = vt.shell(OFTEN);
                ExecutorService threads = Executors.newFixedThreadPool(5)) {
            while (rounds < 50 && (rounds < 3 || System.nanoTime() < end)) {
                String version = "1.0." + ++rounds;
                List<Callable<Path>> drops = new ArrayList<>();
                four.forEach(bundle -> drops.add(() -> bundle.writeTo(vt.deploy())));
                ProviderBundle update = provider("fifth").version(version).build();
                drops.add(() -> update.writeTo(fifth));
                all(threads, drops);
                shell.await("version of the fifth", () -> shell.version("fifth.jar"), version::equals);
                shell.await("the expected set", () -> names(shell), with::equals);
                for (ProviderBundle bundle : four) {
                    Files.delete(vt.deploy().resolve(bundle.symbolicName() + ".jar"));
                }
                shell.await("the set without the four", () -> names(shell), without::equals);
            }
        }
        System.out.println("O1.2 rounds: " + rounds);
        assertFalse(String.join("\n", vt.log()).contains("zip"), "zip errors in the log");
        vt.assertNoErrorInLog();
    }

    private static void all(ExecutorService threads, List<Callable<Path>> drops)
            throws InterruptedException, ExecutionException {
        for (Future<Path> done : threads.invokeAll(drops)) {
            done.get();
        }
    }

    private static List<String> names(Shell shell) throws IOException {
        return Json.column(shell.json("vt:providers"), "name").stream().sorted().toList();
    }

    @Test
    @DisplayName("O1.4 a batch of five, the second brings a package that others wish for: all five are active")
    void batch() throws IOException {
        String extra = "test.extra;resolution:=optional";
        provider("neighbour").withImport(extra).build().writeTo(vt.deploy());
        try (Shell shell = vt.shell()) {
            shell.awaitProvider("neighbour", "selected");
            List<String> files = new ArrayList<>();
            for (String name : List.of("batch-1", "batch-2", "batch-3", "batch-4", "batch-5")) {
                ProviderBundle.Builder builder = provider(name);
                if (name.equals("batch-2")) {
                    builder.withSource("test.extra.Extra", "package test.extra; public final class Extra {}")
                            .header("Export-Package", "test.extra");
                } else {
                    builder.withImport(extra);
                }
                files.add(builder.build().writeTo(vt.deploy()).getFileName().toString());
            }
            for (String file : files) {
                shell.awaitState(file, "active");
            }
            assertEquals("active", shell.state("test.provider.neighbour.jar"));
            provider("after").build().writeTo(vt.deploy());
            shell.awaitState("test.provider.after.jar", "active");
        }
        vt.assertNoErrorInLog();
    }

    @Test
    @DisplayName("D1 what is no bundle is refused once with its reason, a broken jar waits with its reason, the rest "
            + "goes on")
    void noBundles() throws IOException {
        try (Shell shell = vt.shell(OFTEN)) {
            Files.writeString(vt.deploy().resolve("text.jar"), "this is no jar");
            Files.write(vt.deploy().resolve("plain.jar"), plainZip());
            byte[] broken = provider("broken").build().bytes();
            broken[broken.length / 2] ^= 0x55;
            Files.write(vt.deploy().resolve("broken.jar"), broken);
            provider("good").build().writeTo(vt.deploy());
            shell.awaitProvider("good", "selected");
            shell.awaitState("text.jar", "refused");
            shell.awaitState("plain.jar", "refused");
            awaitLooks(shell);
            awaitLooks(shell);
            String reasons = shell.run("vt:deploy reasons");
            assertTrue(reasons.contains("it is not a zip file"), reasons);
            assertTrue(reasons.contains("no Bundle-SymbolicName"), reasons);
            assertTrue(
                    reasons.lines()
                            .anyMatch(line -> line.matches("broken\\.jar +waiting +.*(complete|CRC|zip|invalid).*")),
                    reasons);
            assertFalse(reasons.contains("test.provider.good.jar"), reasons);
            provider("broken").build().writeTo(vt.deploy().resolve("broken.jar"));
            shell.awaitProvider("broken", "selected");
        }
        for (String file : List.of("text.jar", "plain.jar")) {
            assertEquals(
                    1,
                    vt.log().stream()
                            .filter(line -> line.contains(file + " is refused"))
                            .count(),
                    file);
        }
        vt.assertNoErrorInLog();
    }

    private static byte[] plainZip() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry("readme.txt"));
            zip.write("no manifest".getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
