package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vt.backend.cuda.internal.kernel.support.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernels' sources under NVIDIA's own compiler, on machines that have it. */
class CompileTest {
    @TempDir
    Path folder;

    static List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("src/main/cuda"))) {
            return all.map(f -> f.getFileName().toString())
                    .filter(f -> f.endsWith(".cu"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    @DisplayName("nvcc compiles each file without a warning, for the oldest device that it knows and for a new one")
    void compiles(String file) throws IOException, InterruptedException {
        assumeTrue(nvcc(), "no nvcc on this machine");
        if (file.endsWith("_sm90.cu")) {
            compiles(file, "sm_90a");
        } else {
            compiles(file, "sm_75");
            compiles(file, "sm_90");
        }
    }

    private void compiles(String file, String target) throws IOException, InterruptedException {
        Path source =
                Files.writeString(folder.resolve("kernels.cu"), Sources.of(file).source());
        Path log = folder.resolve("log");
        int code = new ProcessBuilder(
                        "nvcc",
                        "-ptx",
                        "-arch=" + target,
                        "-std=c++17",
                        "-Werror",
                        "all-warnings",
                        "-o",
                        "/dev/null",
                        source.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        assertEquals("", Files.readString(log));
        assertEquals(0, code);
    }

    private static boolean nvcc() throws InterruptedException {
        try {
            return new ProcessBuilder("nvcc", "--version")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
