package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.model.gguf.GgufFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefaultModelTest {
    @TempDir
    Path directory;

    @Test
    @DisplayName("The embedded model is unpacked once and can be opened")
    void unpacks() throws IOException {
        Path first = DefaultModel.path(directory.resolve("new/deep"));
        Object key = Files.readAttributes(first, "unix:ino").get("ino");
        assertEquals(first, DefaultModel.path(first.getParent()));
        assertEquals(key, Files.readAttributes(first, "unix:ino").get("ino"));
        try (GgufFile file = GgufFile.open(first)) {
            assertEquals("Tales 6M", file.metadata().string("general.name"));
            assertEquals(74, file.tensors().size());
        }
    }

    @Test
    @DisplayName("A damaged or cut copy is replaced while an open one stays readable")
    void repairs() throws IOException {
        Path path = DefaultModel.path(directory);
        long size = Files.size(path);
        Path damaged = Files.writeString(directory.resolve("damaged"), "not a model");
        try (GgufFile open = GgufFile.open(path)) {
            Files.move(damaged, path, StandardCopyOption.REPLACE_EXISTING);
            assertEquals(size, Files.size(DefaultModel.path(directory)));
            assertEquals("llama", open.metadata().string("general.architecture"));
        }
        assertOnly(path);
    }

    @Test
    @DisplayName("Several may unpack at the same moment")
    void together() throws Exception {
        List<Future<Path>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 8; i++) {
                results.add(threads.submit(() -> {
                    Path path = DefaultModel.path(directory);
                    GgufFile.open(path).close();
                    return path;
                }));
            }
        }
        for (Future<Path> result : results) {
            assertOnly(result.get());
        }
    }

    @Test
    @DisplayName("The default place is a directory of the user's own below java.io.tmpdir")
    void defaultPlace() {
        Path path = DefaultModel.path();
        assertTrue(path.startsWith(Path.of(System.getProperty("java.io.tmpdir"))));
        GgufFile.open(path).close();
    }

    @Test
    @DisplayName("A directory that can't be made is named")
    void noDirectory() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");
        VtException e = assertThrows(VtException.class, () -> DefaultModel.path(file.resolve("below")));
        assertEquals(ErrorCode.CONFIGURATION, e.code());
        assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
    }

    private void assertOnly(Path path) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(List.of(path), files.toList());
        }
    }
}
