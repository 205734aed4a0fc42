package dev.vt.model.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufWriterTest {
    @TempDir
    Path directory;

    @Test
    @DisplayName("What is written is read again, in the same order")
    void roundTrip() throws Exception {
        Path path = directory.resolve("round.gguf");
        new GgufWriter()
                .string("s", "ü")
                .bool("b", true)
                .uint32("u", 4_000_000_000L)
                .int32("i", -1)
                .int64("l", Long.MIN_VALUE)
                .float32("f", 0.5f)
                .float64("d", Math.PI)
                .strings("ss", "a", "ß")
                .int32s("is", 1, -2)
                .float32s("fs", 1, -2)
                .tensor("m", DType.I8, new long[] {2, 3}, out -> out.write(new byte[] {1, 2, 3, 4, 5, 6}))
                .tensor("n", DType.I8, new long[] {1}, out -> out.write(9))
                .write(path);
        try (GgufFile file = GgufFile.open(path)) {
            GgufMetadata m = file.metadata();
            assertEquals(List.of("s", "b", "u", "i", "l", "f", "d", "ss", "is", "fs"), List.copyOf(m.keys()));
            assertEquals("ü", m.string("s"));
            assertTrue(m.booleanValue("b"));
            assertEquals(4_000_000_000L, m.longValue("u"));
            assertEquals(-1, m.longValue("i"));
            assertEquals(Long.MIN_VALUE, m.longValue("l"));
            assertEquals(0.5, m.doubleValue("f"));
            assertEquals(Math.PI, m.doubleValue("d"));
            assertArrayEquals(new String[] {"a", "ß"}, m.strings("ss"));
            assertArrayEquals(new int[] {1, -2}, m.ints("is"));
            assertArrayEquals(new float[] {1, -2}, m.floats("fs"));
            assertArrayEquals(
                    new byte[] {1, 2, 3, 4, 5, 6}, file.tensor("m").data().toArray(ValueLayout.JAVA_BYTE));
            assertArrayEquals(new long[] {2, 3}, file.tensor("m").shape());
            assertEquals(9, file.tensor("n").data().get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    @DisplayName("O5.4 a writer that fails midway leaves the old file and no part of the new one")
    void failsMidway() throws Exception {
        Path path = directory.resolve("model.gguf");
        Files.writeString(path, "old");
        GgufWriter writer = new GgufWriter().tensor("t", DType.F32, new long[] {4}, out -> {
            out.write(new byte[8]);
            throw new IOException("disk full");
        });
        assertEquals(
                "disk full",
                assertThrows(IOException.class, () -> writer.write(path)).getMessage());
        assertOnlyOld(path);
    }

    @Test
    @DisplayName("O5.4 a tensor that gives too few or too many bytes is refused")
    void wrongAmount() throws Exception {
        Path path = directory.resolve("model.gguf");
        Files.writeString(path, "old");
        for (int size : new int[] {0, 15, 17}) {
            GgufWriter writer =
                    new GgufWriter().tensor("t", DType.F32, new long[] {4}, out -> out.write(new byte[size]));
            String message =
                    assertThrows(IOException.class, () -> writer.write(path)).getMessage();
            assertTrue(message.startsWith("GGUF writer: tensor 't': expected 16 bytes of data, given "), message);
        }
        assertOnlyOld(path);
    }

    @Test
    @DisplayName("Names given twice, odd versions and alignments, and empty shapes are refused")
    void badArguments() {
        assertThrows(VtException.class, () -> new GgufWriter(1, 32));
        assertThrows(VtException.class, () -> new GgufWriter(3, 0));
        assertThrows(VtException.class, () -> new GgufWriter(3, 24));
        assertThrows(VtException.class, () -> new GgufWriter().bool("k", true).bool("k", true));
        assertThrows(VtException.class, () -> new GgufWriter().uint32("k", -1));
        assertThrows(VtException.class, () -> new GgufWriter().tensor("t", DType.F32, new long[] {}, out -> {}));
        assertThrows(VtException.class, () -> new GgufWriter().tensor("t", DType.F32, new long[] {0}, out -> {}));
        assertThrows(VtException.class, () -> new GgufWriter().tensor("t", DType.Q8_0, new long[] {2, 31}, out -> {}));
        GgufWriter writer = new GgufWriter().tensor("t", DType.F32, new long[] {1}, out -> {});
        assertThrows(VtException.class, () -> writer.tensor("t", DType.F32, new long[] {1}, out -> {}));
    }

    private void assertOnlyOld(Path path) throws IOException {
        assertEquals("old", Files.readString(path));
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(List.of(path), files.toList());
        }
    }
}
