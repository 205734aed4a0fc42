package dev.vt.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallationTest {
    @TempDir
    Path home;

    @Test
    @DisplayName("system bundles come sorted by level and name, the interactive ones only when asked for")
    void order() throws IOException {
        for (String jar :
                List.of("05/b.jar", "05/a.jar", "01/z.jar", "09-interactive/jline.jar", "05/notes.txt", "old/x.jar")) {
            Path file = home.resolve("system").resolve(jar);
            Files.createDirectories(file.getParent());
            Files.createFile(file);
        }
        assertEquals(List.of("1 z.jar", "5 a.jar", "5 b.jar"), names(false));
        assertEquals(List.of("1 z.jar", "5 a.jar", "5 b.jar", "9 jline.jar"), names(true));
    }

    private List<String> names(boolean interactive) throws IOException {
        return SystemBundles.list(home.resolve("system"), interactive).stream()
                .map(j -> j.level() + " " + j.file().getFileName())
                .toList();
    }

    @Test
    @DisplayName("an installation without bundles is an error, not an empty framework")
    void empty() throws IOException {
        Files.createDirectories(home.resolve("system/01"));
        assertThrows(IOException.class, () -> SystemBundles.list(home.resolve("system"), true));
    }

    @Test
    @DisplayName("framework properties know the home and the cache, and a system property wins")
    void configuration() throws IOException {
        Files.createDirectories(home.resolve("conf"));
        Files.writeString(
                home.resolve("conf/framework.properties"),
                "a=${vt.home}/x\nb=${vt.cache}/y\nvt.test.won=file\nfelix.cm.dir=${vt.home}/conf/cm\n");
        System.setProperty("vt.test.won", "system");
        try {
            Map<String, String> all = Configuration.read(home, home.resolve("c"));
            assertEquals(home + "/x", all.get("a"));
            assertEquals(home + "/c/y", all.get("b"));
            assertEquals("system", all.get("vt.test.won"));
            assertTrue(Files.isDirectory(Path.of(all.get("felix.cm.dir"))));
        } finally {
            System.clearProperty("vt.test.won");
        }
    }

    @Test
    @DisplayName("each process has a cache folder of its own, deleted at its end")
    void cache() throws IOException {
        Path first;
        try (PrivateCache one = PrivateCache.open(home);
                PrivateCache two = PrivateCache.open(home)) {
            first = one.folder();
            assertFalse(first.equals(two.folder()));
            Files.createDirectories(first.resolve("felix/bundle1"));
            Files.createFile(first.resolve("felix/bundle1/x"));
            assertTrue(Files.exists(first), "a live folder is not abandoned");
        }
        assertFalse(Files.exists(first));
    }

    @Test
    @DisplayName("the folder of a killed process is deleted by the next start; one without a lock file stays")
    void abandoned() throws IOException {
        Path dead = Files.createDirectories(home.resolve("cache/vt-dead/felix"));
        Files.createFile(home.resolve("cache/vt-dead/lock"));
        Path beingMade = Files.createDirectories(home.resolve("cache/vt-new"));
        PrivateCache.open(home).close();
        assertFalse(Files.exists(dead));
        assertTrue(Files.exists(beingMade));
    }
}
