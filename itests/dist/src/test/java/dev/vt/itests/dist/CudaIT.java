package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The CUDA backend in the distribution, over the driver that its own tests use in place of NVIDIA's. */
class CudaIT {
    private static final Path SOURCES = Path.of("../../bundles/backends/cuda/src/test/c");
    private static final String JAR = "vt-backend-cuda.jar";

    @TempDir
    Path folder;

    @Test
    @DisplayName(
            "D2 O1.6 B9 the backend leaves and comes back while vt runs, over JCuda's library, which stays; its stop"
                    + " ends the device in order")
    void replaceable() throws Exception {
        Installation vt = Installation.unpack(folder.resolve("home"));
        Path jar = vt.take(JAR);
        Map<String, String> properties = Map.of(
                "vt.cuda.library", library("fakecuda.c", "libcuda.so.1"),
                "vt.nvrtc.library", library("fakenvrtc.c", "libnvrtc.so.13"),
                "vt.cuda.cache", folder.resolve("kernels").toString(),
                "vt.admission", "off");
        try (Shell shell = vt.shell(properties)) {
            for (int round = 0; round < 3; round++) {
                Files.copy(jar, vt.deploy().resolve(JAR));
                shell.awaitState(JAR, "active");
                JsonNode cuda = shell.await(
                        "cuda:0",
                        () -> cuda(shell),
                        row -> row.path("state").asText().equals("present"));
                assertEquals(
                        "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f",
                        cuda.path("id").asText());
                assertEquals(
                        "vt-native",
                        shell.json("vt:why add cuda").path("selected").asText());
                Files.delete(vt.deploy().resolve(JAR));
                shell.await("cuda:0 to go", () -> cuda(shell), JsonNode::isMissingNode);
            }
            Files.copy(jar, vt.deploy().resolve(JAR));
            shell.awaitState(JAR, "active");
        }
        assertEquals(
                List.of(),
                vt.log().stream()
                        .filter(line -> line.contains("already loaded in another"))
                        .toList());
        vt.assertNoErrorInLog();
        vt.assertNoCrashFile();
        assertTrue(Files.exists(jar));
    }

    @Test
    @DisplayName(
            "O3.1 a kernel that breaks the device: it is listed as failed with the driver's words, its provider goes,"
                    + " and all else goes on")
    void breaksDown() throws Exception {
        Installation vt = Installation.unpack(folder.resolve("home"));
        String driver = library("fakecuda.c", "libcuda.so.1");
        Map<String, String> properties = Map.of(
                "vt.cuda.library",
                driver,
                "vt.nvrtc.library",
                library("fakenvrtc.c", "libnvrtc.so.13"),
                "vt.cuda.cache",
                folder.resolve("kernels").toString(),
                "vt.admission",
                "off");
        try (Shell shell = vt.shell(properties)) {
            assertEquals("present", cuda(shell).path("state").asText());
            Files.createFile(Path.of(driver + ".breaks"));
            shell.run("vt:verify vt-native add");
            JsonNode cuda = shell.await(
                    "cuda:0",
                    () -> cuda(shell),
                    row -> row.path("state").asText().equals("failed"));
            assertTrue(cuda.path("reason").asText().contains("CUDA_ERROR_ILLEGAL_ADDRESS"), cuda.toString());
            shell.await(
                    "the providers",
                    () -> Json.column(shell.json("vt:providers"), "device"),
                    devices -> devices.stream().allMatch("cpu:0"::equals));
            assertEquals(
                    "vt-native", shell.json("vt:why add cpu").path("selected").asText());
        }
        vt.assertNoCrashFile();
    }

    private static JsonNode cuda(Shell shell) throws IOException {
        for (JsonNode row : shell.json("vt:devices")) {
            if (row.path("device").asText().equals("cuda:0")) {
                return row;
            }
        }
        return MissingNode.getInstance();
    }

    private String library(String source, String name) throws InterruptedException {
        Path out = folder.resolve(name);
        List<String> line = List.of(
                "gcc",
                "-shared",
                "-fPIC",
                "-O1",
                "-Wl,-soname," + name,
                "-o",
                out.toString(),
                SOURCES.resolve(source).toString(),
                "-lpthread",
                "-ldl");
        try {
            assertEquals(0, new ProcessBuilder(line).inheritIO().start().waitFor(), () -> String.join(" ", line));
        } catch (IOException e) {
            fail("this test compiles a small library: install gcc", e);
        }
        return out.toString();
    }
}
