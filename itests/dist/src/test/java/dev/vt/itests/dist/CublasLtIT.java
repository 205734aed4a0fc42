package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cuBLASLt provider in the distribution, over the driver and the library that tests use in place of NVIDIA's. */
class CublasLtIT {
    private static final Path BUNDLES = Path.of("../../bundles");
    private static final String JAR = "vt-provider-cublaslt.jar";
    private static final String BACKEND = "vt-backend-cuda.jar";
    private static final String LIBRARY = "libcublasLt.so.13";

    @TempDir
    Path folder;

    @Test
    @DisplayName("D2 S16 S18 it is dropped in, computes, and is removed, in turns: each time its library is unloaded")
    void comesAndGoes() throws Exception {
        Installation vt = Installation.unpack(folder.resolve("home"));
        Path jar = vt.take(JAR);
        try (Shell shell = vt.shell(properties())) {
            assertEquals("vt-native", selected(shell));
            for (int round = 0; round < 3; round++) {
                Files.copy(jar, vt.deploy().resolve(JAR));
                shell.awaitProvider("cublaslt", "selected");
                assertEquals("cublaslt", selected(shell));
                JsonNode verified = shell.json("vt:verify cublaslt --device cuda:0");
                assertEquals(0, verified.path("failed").asInt(), verified.toString());
                assertEquals(1, processesWithLibrary());
                Files.delete(vt.deploy().resolve(JAR));
                shell.awaitProvider("cublaslt", "none");
                assertEquals("vt-native", selected(shell));
                shell.await("the library to go", this::processesWithLibrary, n -> n == 0);
            }
        }
        vt.assertNoErrorInLog();
        vt.assertNoCrashFile();
    }

    @Test
    @DisplayName("D2 S16 the backend below it leaves and comes back, and it with the backend, over the new classes")
    void backendReplaced() throws Exception {
        Installation vt = Installation.unpack(folder.resolve("home"));
        Path backend = vt.take(BACKEND);
        try (Shell shell = vt.shell(properties())) {
            assertEquals("none", shell.provider("cublaslt"));
            for (int round = 0; round < 2; round++) {
                Files.copy(backend, vt.deploy().resolve(BACKEND));
                shell.awaitProvider("cublaslt", "selected");
                JsonNode verified = shell.json("vt:verify cublaslt matmul --device cuda:0");
                assertEquals(0, verified.path("failed").asInt(), verified.toString());
                Files.delete(vt.deploy().resolve(BACKEND));
                shell.awaitProvider("cublaslt", "none");
            }
        }
        vt.assertNoErrorInLog();
        vt.assertNoCrashFile();
    }

    @Test
    @DisplayName("S5 without the library it is listed as refused, with what it needs and one line in the log")
    void missing() throws Exception {
        Installation vt = Installation.unpack(folder.resolve("home"));
        Map<String, String> without = new HashMap<>(properties());
        without.put("vt.cublaslt.library", "/nowhere/" + LIBRARY);
        try (Shell shell = vt.shell(without)) {
            assertEquals("vt-native", selected(shell));
            assertEquals("refused", shell.provider("cublaslt"));
        }
        assertEquals(
                1,
                vt.log().stream()
                        .filter(l -> l.contains("no cuBLASLt was found"))
                        .count());
    }

    private static String selected(Shell shell) throws IOException {
        return shell.json("vt:why matmul_bt cuda").path("selected").asText();
    }

    /** How many processes below this one have the library mapped. */
    private int processesWithLibrary() {
        try (Stream<ProcessHandle> all = ProcessHandle.current().descendants()) {
            return (int) all.filter(p -> maps(p.pid()).contains(LIBRARY)).count();
        }
    }

    private static String maps(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "maps"));
        } catch (IOException e) {
            // It has ended meanwhile.
            return "";
        }
    }

    private Map<String, String> properties() throws InterruptedException {
        String driver = library("backends/cuda/src/test/c/fakecuda.c", "libcuda.so.1");
        return Map.of(
                "vt.cuda.library",
                driver,
                "vt.nvrtc.library",
                library("backends/cuda/src/test/c/fakenvrtc.c", "libnvrtc.so.13"),
                "vt.cublaslt.library",
                library("providers/cublaslt/src/test/c/fakecublaslt.c", LIBRARY, driver, "-lm"),
                "vt.cuda.cache",
                folder.resolve("kernels").toString(),
                "vt.admission",
                "off",
                "vt.deploy.poll",
                "20");
    }

    private String library(String source, String name, String... more) throws InterruptedException {
        Path out = folder.resolve(name);
        List<String> line = new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-O1", "-Wl,-soname," + name, "-o"));
        line.addAll(List.of(out.toString(), BUNDLES.resolve(source).toString(), "-lpthread", "-ldl"));
        line.addAll(List.of(more));
        try {
            assertEquals(0, new ProcessBuilder(line).inheritIO().start().waitFor(), () -> String.join(" ", line));
        } catch (IOException e) {
            fail("this test compiles a small library: install gcc", e);
        }
        return out.toString();
    }
}
