package dev.vt.deploy.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.deploy.Deployments.Deployment;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.SynchronousBundleListener;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

/** The deployer in a real framework; the test takes the place of its thread, so that it decides when a look happens. */
class DeployerTest {
    @TempDir
    Path temp;

    private Path folder;
    private Framework framework;
    private Deployer deployer;
    private final List<String> events = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        folder = Files.createDirectory(temp.resolve("deploy"));
        framework = ServiceLoader.load(FrameworkFactory.class)
                .findFirst()
                .orElseThrow()
                .newFramework(Map.of(
                        "org.osgi.framework.storage", temp.resolve("felix").toString(), "felix.log.level", "0"));
        framework.start();
        framework.getBundleContext().addBundleListener((SynchronousBundleListener) e -> {
            synchronized (events) {
                events.add(e.getBundle().getSymbolicName() + " " + e.getType());
            }
        });
        deployer = deployer(Gate.OPEN);
    }

    private Deployer deployer(Gate gate) {
        return new Deployer(
                folder, temp.resolve("staging"), gate, new BundleInstaller(framework.getBundleContext(), 1));
    }

    @AfterEach
    void stop() throws Exception {
        framework.stop();
        framework.waitForStop(10_000);
    }

    /** A file is complete under its name at once, as with a move. */
    private void drop(String name, byte[] content) throws IOException {
        Path part = Files.write(temp.resolve(name + ".part"), content);
        Files.move(part, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Two looks settle a change. */
    private void settle() {
        deployer.pass();
        deployer.pass();
    }

    private String rows() {
        return deployer.list().stream()
                .map(d -> d.file() + " " + d.state() + " " + d.bundle() + " " + d.version())
                .map(String::strip)
                .collect(Collectors.joining("\n"));
    }

    private String reason(String file) {
        return deployer.list().stream()
                .filter(d -> d.file().equals(file))
                .map(Deployment::reason)
                .findFirst()
                .orElseThrow();
    }

    private List<Bundle> bundles(String symbolicName) {
        return Arrays.stream(framework.getBundleContext().getBundles())
                .filter(b -> symbolicName.equals(b.getSymbolicName()))
                .toList();
    }

    private long count(String event) {
        synchronized (events) {
            return events.stream().filter(event::equals).count();
        }
    }

    @Test
    @DisplayName("D1 a dropped file is live, a replaced one is updated in place, a removed one is gone")
    void lifeOfAFile() throws Exception {
        drop("p.jar", Jars.bundle("p", "1.0.0"));
        settle();
        assertEquals("p.jar active p 1.0.0", rows());
        long id = bundles("p").get(0).getBundleId();
        drop("p.jar", Jars.bundle("p", "1.1.0"));
        settle();
        assertEquals("p.jar active p 1.1.0", rows());
        assertEquals(id, bundles("p").get(0).getBundleId(), "the same bundle");
        Files.delete(folder.resolve("p.jar"));
        settle();
        assertEquals("p.jar removed p 1.1.0", rows());
        assertEquals(List.of(), bundles("p"));
    }

    @Test
    @DisplayName("D1 a file whose time changes but not its content is left alone")
    void touched() throws Exception {
        byte[] content = Jars.bundle("p", "1.0.0");
        drop("p.jar", content);
        settle();
        drop("p.jar", content);
        settle();
        assertEquals(0, count("p " + BundleEvent.UPDATED));
        assertEquals("p.jar active p 1.0.0", rows());
    }

    @Test
    @DisplayName("a replaced file with another symbolic name takes the old bundle's place")
    void renamedBundle() throws Exception {
        drop("p.jar", Jars.bundle("p", "1.0.0"));
        settle();
        drop("p.jar", Jars.bundle("q", "1.0.0"));
        settle();
        assertEquals("p.jar active q 1.0.0", rows());
        assertEquals(List.of(), bundles("p"));
    }

    @Test
    @DisplayName("O1.1 twenty slices with looks between them: no attempt before the last byte, then one install")
    void slices() throws Exception {
        byte[] content = Jars.bundle("p", "1.0.0");
        Path file = folder.resolve("p.jar");
        Files.createFile(file);
        for (int i = 0; i < 20; i++) {
            settle();
            assertEquals(0, count("p " + BundleEvent.INSTALLED));
            assertEquals("p.jar waiting", rows());
            int from = content.length * i / 20;
            int to = content.length * (i + 1) / 20;
            Files.write(file, Arrays.copyOfRange(content, from, to), StandardOpenOption.APPEND);
        }
        settle();
        assertEquals("p.jar active p 1.0.0", rows());
        assertEquals(1, count("p " + BundleEvent.INSTALLED));
    }

    @Test
    @DisplayName(
            "O1.1 a file of full length that is filled afterwards: no attempt before the last byte, then one install")
    void sparse() throws Exception {
        byte[] content = Jars.bundle("p", "1.0.0");
        Path file = folder.resolve("p.jar");
        Files.write(file, new byte[content.length]);
        try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
            for (int i = 0; i < 20; i++) {
                settle();
                assertEquals(0, count("p " + BundleEvent.INSTALLED));
                int from = content.length * i / 20;
                int to = content.length * (i + 1) / 20;
                channel.write(ByteBuffer.wrap(content, from, to - from));
            }
        }
        settle();
        assertEquals("p.jar active p 1.0.0", rows());
        assertEquals(1, count("p " + BundleEvent.INSTALLED));
    }

    @Test
    @DisplayName("O1.2 four files from four threads while a fifth is replaced, fifty times: always the expected set")
    void concurrentDrops() throws Exception {
        byte[][] contents = new byte[4][];
        for (int i = 0; i < 4; i++) {
            contents[i] = Jars.bundle("p" + i, "1.0.0");
        }
        for (int round = 0; round < 50; round++) {
            byte[] fifth = Jars.bundle("p9", "1.0." + round);
            CountDownLatch go = new CountDownLatch(1);
            List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                String name = i == 4 ? "p9.jar" : "p" + i + ".jar";
                byte[] content = i == 4 ? fifth : contents[i];
                writers.add(Thread.ofPlatform().start(() -> write(go, name, content)));
            }
            go.countDown();
            while (writers.stream().anyMatch(Thread::isAlive)) {
                deployer.pass();
            }
            settle();
            // Whatever was read half-written is read again after a pause of some looks.
            for (int i = 0; i < 8; i++) {
                deployer.pass();
            }
            assertEquals("""
                p0.jar active p0 1.0.0
                p1.jar active p1 1.0.0
                p2.jar active p2 1.0.0
                p3.jar active p3 1.0.0
                p9.jar active p9 1.0.%d\
                """.formatted(round), rows());
            for (int i = 0; i < 4; i++) {
                Files.delete(folder.resolve("p" + i + ".jar"));
            }
            settle();
        }
    }

    /** In place and in slices, the worst way to replace a file. */
    private void write(CountDownLatch go, String name, byte[] content) {
        try {
            go.await();
            try (var out = Files.newOutputStream(folder.resolve(name))) {
                for (int at = 0; at < content.length; at += 1000) {
                    out.write(content, at, Math.min(1000, content.length - at));
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("O1.3 a new bundle changes no other one, even where others have an optional import that it meets")
    void noOtherIsTouched() throws Exception {
        drop("a.jar", Jars.bundle("a", "1", "Import-Package", "x;resolution:=optional"));
        drop("b.jar", Jars.bundle("b", "1", "Import-Package", "x;resolution:=optional"));
        settle();
        synchronized (events) {
            events.clear();
        }
        drop("x.jar", Jars.bundle("x", "1", "Export-Package", "x"));
        settle();
        synchronized (events) {
            assertTrue(events.stream().allMatch(e -> e.startsWith("x ")), events.toString());
        }
    }

    @Test
    @DisplayName("D1 a replaced bundle takes along only those wired to it")
    void wiredOnes() throws Exception {
        drop("lib.jar", Jars.bundle("lib", "1", "Export-Package", "x;version=1"));
        drop("user.jar", Jars.bundle("user", "1", "Import-Package", "x"));
        drop("other.jar", Jars.bundle("other", "1"));
        settle();
        synchronized (events) {
            events.clear();
        }
        drop("lib.jar", Jars.bundle("lib", "2", "Export-Package", "x;version=2"));
        settle();
        assertEquals("lib.jar active lib 2.0.0\nother.jar active other 1.0.0\nuser.jar active user 1.0.0", rows());
        assertEquals(1, count("user " + BundleEvent.STOPPED));
        assertEquals(0, count("other " + BundleEvent.STOPPED));
    }

    @Test
    @DisplayName(
            "O1.4 a batch of five is finished, whatever the second brings; what misses a package starts when it comes")
    void batch() throws Exception {
        drop("a.jar", Jars.bundle("a", "1", "Import-Package", "late"));
        drop("b.jar", Jars.bundle("b", "1", "Export-Package", "opt"));
        drop("c.jar", Jars.bundle("c", "1", "Import-Package", "opt;resolution:=optional"));
        drop("d.jar", Jars.bundle("d", "1", "Import-Package", "nowhere"));
        drop("e.jar", Jars.bundle("e", "1", "Export-Package", "late"));
        settle();
        assertEquals(
                "a.jar active a 1.0.0\nb.jar active b 1.0.0\nc.jar active c 1.0.0\n"
                        + "d.jar installed d 1.0.0\ne.jar active e 1.0.0",
                rows());
        assertTrue(reason("d.jar").contains("nowhere"), reason("d.jar"));
        drop("f.jar", Jars.bundle("f", "1", "Export-Package", "nowhere"));
        settle();
        assertTrue(rows().contains("d.jar active"), rows());
    }

    @Test
    @DisplayName("O1.6 D2 bundles on a natives bundle are replaced freely; the natives bundle is refused and goes on")
    void natives() throws Exception {
        drop("n.jar", Jars.bundle("n", "1", "Export-Package", "n", "Vt-Restart-Needed", "true"));
        drop("p.jar", Jars.bundle("p", "1", "Import-Package", "n"));
        settle();
        for (int i = 2; i < 5; i++) {
            drop("p.jar", Jars.bundle("p", "" + i, "Import-Package", "n"));
            settle();
        }
        assertTrue(rows().contains("p.jar active p 4.0.0"), rows());
        drop("n.jar", Jars.bundle("n", "2", "Export-Package", "n", "Vt-Restart-Needed", "true"));
        drop("n2.jar", Jars.bundle("n", "3", "Export-Package", "n", "Vt-Restart-Needed", "true"));
        settle();
        assertTrue(reason("n.jar").startsWith("restart needed"), rows());
        assertTrue(reason("n2.jar").startsWith("restart needed"), rows());
        Files.delete(folder.resolve("n.jar"));
        settle();
        Bundle still = bundles("n").get(0);
        assertEquals("1.0.0 " + Bundle.ACTIVE, still.getVersion() + " " + still.getState());
        assertEquals(Bundle.ACTIVE, bundles("p").get(0).getState());
    }

    @Test
    @DisplayName("O1.10 all 120 orders of five files end in one and the same list")
    void everyOrder() throws Exception {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("a.jar", Jars.bundle("a", "1", "Import-Package", "c"));
        files.put("b.jar", Jars.bundle("twin", "1"));
        files.put("c.jar", Jars.bundle("c", "1", "Export-Package", "c"));
        files.put("d.jar", Jars.bundle("twin", "1"));
        files.put("e.jar", Jars.bundle("a", "2"));
        List<String> results = new ArrayList<>();
        for (List<String> order : permutations(List.copyOf(files.keySet()))) {
            for (String name : order) {
                drop(name, files.get(name));
                settle();
            }
            results.add(rows());
            for (String name : order) {
                Files.delete(folder.resolve(name));
            }
            settle();
        }
        assertEquals(120, results.size());
        assertEquals(
                List.of("a.jar active a 1.0.0\nb.jar active twin 1.0.0\nc.jar active c 1.0.0\n"
                        + "d.jar refused twin 1.0.0\ne.jar active a 2.0.0"),
                results.stream().distinct().toList());
    }

    private static List<List<String>> permutations(List<String> items) {
        if (items.isEmpty()) {
            return List.of(List.of());
        }
        List<List<String>> all = new ArrayList<>();
        for (String first : items) {
            List<String> rest = new ArrayList<>(items);
            rest.remove(first);
            for (List<String> tail : permutations(rest)) {
                List<String> one = new ArrayList<>(List.of(first));
                one.addAll(tail);
                all.add(one);
            }
        }
        return all;
    }

    @Test
    @DisplayName("of two files with one bundle the other one steps in when the first goes")
    void twin() throws Exception {
        drop("a.jar", Jars.bundle("twin", "1"));
        drop("b.jar", Jars.bundle("twin", "1"));
        settle();
        assertEquals("a.jar active twin 1.0.0\nb.jar refused twin 1.0.0", rows());
        assertTrue(reason("b.jar").contains("a.jar"), reason("b.jar"));
        Files.delete(folder.resolve("a.jar"));
        settle();
        assertTrue(rows().contains("b.jar active twin 1.0.0"), rows());
    }

    @Test
    @DisplayName("a bundle that is built in is not installed twice; another version of it comes beside it")
    void builtIn() throws Exception {
        framework
                .getBundleContext()
                .installBundle("system:x", new ByteArrayInputStream(Jars.bundle("x", "1")))
                .start();
        drop("same.jar", Jars.bundle("x", "1"));
        drop("newer.jar", Jars.bundle("x", "2"));
        settle();
        assertEquals("newer.jar active x 2.0.0\nsame.jar refused x 1.0.0", rows());
        assertTrue(reason("same.jar").contains("the distribution"), reason("same.jar"));
    }

    @Test
    @DisplayName("a non-bundle is refused once, with a reason, and the others go on")
    void nonBundle() throws Exception {
        drop("a.jar", Jars.plain());
        drop("b.jar", "hello".getBytes(StandardCharsets.UTF_8));
        drop("c.jar", Jars.bundle("c", "1"));
        settle();
        assertEquals("a.jar refused\nb.jar refused\nc.jar active c 1.0.0", rows());
        drop("a.jar", Jars.bundle("a", "1"));
        settle();
        assertTrue(rows().contains("a.jar active a 1.0.0"), rows());
    }

    @Test
    @DisplayName("the gate sees the staged bytes and what it refuses never reaches the framework")
    void gate() throws Exception {
        List<String> asked = new ArrayList<>();
        deployer = deployer(staged -> {
            asked.add(staged.label() + " " + Files.exists(staged.copy()));
            return staged.symbolicName().equals("bad") ? Optional.of("its digest is not listed") : Optional.empty();
        });
        drop("bad.jar", Jars.bundle("bad", "1"));
        drop("good.jar", Jars.bundle("good", "1"));
        settle();
        assertEquals(List.of("bad 1.0.0 true", "good 1.0.0 true"), asked);
        assertEquals("its digest is not listed", reason("bad.jar"));
        assertEquals(0, count("bad " + BundleEvent.INSTALLED));
        try (var left = Files.list(temp.resolve("staging"))) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    @DisplayName("a folder that goes away for a while takes nothing with it")
    void folderAway() throws Exception {
        drop("p.jar", Jars.bundle("p", "1"));
        settle();
        Files.move(folder, temp.resolve("away"));
        settle();
        assertEquals("p.jar active p 1.0.0", rows());
        Files.move(temp.resolve("away"), folder);
        settle();
        assertEquals("p.jar active p 1.0.0", rows());
    }

    @Test
    @DisplayName("a new deployer takes over the bundles of the one before")
    void takesOver() throws Exception {
        drop("p.jar", Jars.bundle("p", "1"));
        drop("q.jar", Jars.bundle("q", "1"));
        settle();
        Files.delete(folder.resolve("q.jar"));
        deployer = deployer(Gate.OPEN);
        settle();
        assertTrue(rows().contains("p.jar active p 1.0.0"), rows());
        assertEquals(List.of(), bundles("q"));
        assertEquals(1, bundles("p").size());
    }

    @Test
    @DisplayName("the component watches on a thread of its own and ends it")
    void component() throws Exception {
        System.setProperty("vt.deploy.dir", folder.toString());
        System.setProperty("vt.deploy.poll", "20");
        System.setProperty("vt.deploy.startlevel", "1");
        Bundle host =
                framework.getBundleContext().installBundle("host", new ByteArrayInputStream(Jars.bundle("host", "1")));
        host.start();
        CountDownLatch live = new CountDownLatch(1);
        framework.getBundleContext().addBundleListener(e -> {
            if (e.getType() == BundleEvent.STARTED
                    && e.getBundle().getSymbolicName().equals("p")) {
                live.countDown();
            }
        });
        FolderDeployer component = new FolderDeployer(host.getBundleContext());
        try {
            drop("p.jar", Jars.bundle("p", "1"));
            assertTrue(live.await(20, TimeUnit.SECONDS));
            assertNotNull(watcher());
        } finally {
            component.stop();
            System.clearProperty("vt.deploy.dir");
            System.clearProperty("vt.deploy.poll");
            System.clearProperty("vt.deploy.startlevel");
        }
        assertFalse(Thread.getAllStackTraces().keySet().stream()
                .anyMatch(t -> t.getName().equals("vt deploy")));
    }

    private static Thread watcher() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().equals("vt deploy"))
                .findFirst()
                .orElseThrow();
    }
}
