package dev.vt.deploy.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderScanTest {
    @TempDir
    Path folder;

    @Test
    @DisplayName(
            "D1 a file settles when two looks see the same; a change starts over; the first look takes what is there")
    void settles() throws IOException {
        Files.write(folder.resolve("a.jar"), new byte[1]);
        FolderScan scan = new FolderScan(folder);
        assertEquals(Set.of("a.jar"), scan.look().settled().keySet());
        Files.write(folder.resolve("b.jar"), new byte[1]);
        FolderScan.Look look = scan.look();
        assertEquals(Set.of("a.jar", "b.jar"), look.present().keySet());
        assertEquals(Set.of("a.jar"), look.settled().keySet());
        Files.write(folder.resolve("b.jar"), new byte[2]);
        assertEquals(Set.of("a.jar"), scan.look().settled().keySet());
        assertEquals(Set.of("a.jar", "b.jar"), scan.look().settled().keySet());
    }

    @Test
    @DisplayName("hidden files, folders and other endings are not looked at")
    void ignored() throws IOException {
        Files.createFile(folder.resolve(".x.jar"));
        Files.createFile(folder.resolve("README.txt"));
        Files.createDirectory(folder.resolve("old.jar"));
        assertEquals(Set.of(), new FolderScan(folder).look().present().keySet());
    }

    @Test
    @DisplayName("a folder that can't be read is an error, not an empty folder")
    void unreadable() {
        assertThrows(IOException.class, () -> new FolderScan(folder.resolve("none")).look());
    }
}
