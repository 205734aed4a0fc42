package dev.vt.deploy.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagerTest {
    @TempDir
    Path folder;

    private Path staging;
    private Stager stager;

    @BeforeEach
    void make() {
        staging = folder.resolve("staging");
        stager = new Stager(staging);
    }

    private Stager.Result stage(byte[] content) throws IOException {
        Path file = Files.write(folder.resolve("x.jar"), content);
        return stager.stage(file, Stamp.of(file));
    }

    private List<Path> copies() throws IOException {
        try (Stream<Path> all = Files.list(staging)) {
            return all.toList();
        }
    }

    @Test
    @DisplayName("D1 a whole bundle is copied, with name, version and the digest of the copy")
    void whole() throws Exception {
        byte[] content = Jars.bundle("a.b;singleton:=true", "1.2.3");
        Staged staged =
                assertInstanceOf(Stager.Result.Whole.class, stage(content)).staged();
        assertEquals("a.b 1.2.3", staged.label());
        assertEquals(
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content)), staged.sha256());
        assertTrue(Arrays.equals(content, Files.readAllBytes(staged.copy())));
    }

    @Test
    @DisplayName("O1.1 no prefix of a jar, and no prefix in a file of full length, is taken for a bundle")
    void partial() throws Exception {
        byte[] content = Jars.bundle("a.b", "1.0.0");
        for (int i = 0; i < 20; i++) {
            int length = content.length * i / 20;
            assertInstanceOf(Stager.Result.Partial.class, stage(Arrays.copyOf(content, length)), "prefix " + length);
            byte[] sparse = Arrays.copyOf(Arrays.copyOf(content, length), content.length);
            assertInstanceOf(Stager.Result.Partial.class, stage(sparse), "sparse " + length);
        }
        assertEquals(List.of(), copies());
    }

    @Test
    @DisplayName("O1.1 a hole of zeros in a jar whose table of contents has arrived is found by the checksums")
    void hole() throws Exception {
        byte[] content = Jars.bundle("a.b", "1.0.0");
        Arrays.fill(content, content.length / 2, content.length / 2 + 512, (byte) 0);
        assertInstanceOf(Stager.Result.Partial.class, stage(content));
    }

    @Test
    @DisplayName("a complete file that is no bundle is refused with the reason")
    void noBundle() throws Exception {
        assertTrue(reason(Jars.plain()).contains("Bundle-SymbolicName"));
        assertTrue(reason("just text".getBytes(StandardCharsets.UTF_8)).contains("not a zip"));
        assertTrue(reason(Jars.bundle("a.b", "one.two")).contains("one.two"));
        assertEquals(List.of(), copies());
    }

    private String reason(byte[] content) throws IOException {
        return assertInstanceOf(Stager.Result.NoBundle.class, stage(content)).reason();
    }

    @Test
    @DisplayName("D2 bundles with native libraries are recognised by their headers")
    void natives() throws Exception {
        assertEquals(
                List.of(true, true, false),
                List.of(
                        natives("Vt-Restart-Needed", "true"),
                        natives("Bundle-NativeCode", "x.so;osname=Linux,*"),
                        natives("Vt-Restart-Needed", "false")));
    }

    private boolean natives(String header, String value) throws IOException {
        return assertInstanceOf(Stager.Result.Whole.class, stage(Jars.bundle("a", "1", header, value)))
                .staged()
                .natives();
    }

    @Test
    @DisplayName("a file that is not the one that was looked at is left for the next look")
    void changed() throws Exception {
        Path file = Files.write(folder.resolve("x.jar"), Jars.bundle("a", "1"));
        Stamp old = new Stamp(1, Stamp.of(file).modified(), null);
        assertInstanceOf(Stager.Result.Partial.class, stager.stage(file, old));
    }
}
