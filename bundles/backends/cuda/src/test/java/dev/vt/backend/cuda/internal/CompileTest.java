package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vt.backend.cuda.internal.kernel.CudaKernels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernels' sources under NVIDIA's own compiler, on machines that have it. */
class CompileTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"argmax.cu", "elementwise.cu", "fault.cu", "matmul.cu", "move.cu", "norm.cu"})
    @DisplayName("nvcc compiles each file without a warning")
    void compiles(String file) throws IOException, InterruptedException {
        assumeTrue(nvcc(), "no nvcc on this machine");
        Path source = Files.writeString(
                folder.resolve("kernels.cu"), CudaKernels.module(file).source());
        Path log = folder.resolve("log");
        int code = new ProcessBuilder(
                        "nvcc",
                        "-ptx",
                        "-arch=sm_90",
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
