package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Backend;
import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.model.GenerateListener;
import dev.vt.model.GenerateOptions;
import dev.vt.model.GenerateResult;
import dev.vt.model.ModelOptions;
import dev.vt.model.SyntheticModel;
import dev.vt.model.TextGenerator;
import dev.vt.registry.VtRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small language model decodes on the fake device with the kernels' sources compiled for the host. */
class DecodeTest {
    private static final GenerateOptions GREEDY = new GenerateOptions(6, 0, 0, 1, 0, 1, 0, 0, 0, true);
    private static final GenerateOptions SAMPLED = new GenerateOptions(6, 0.9, 40, 1, 0.02, 1.1, 0, 0, 3, true);

    @TempDir
    Path folder;

    private final CpuBackend cpu = new CpuBackend(1);
    private final VtRuntime runtime = VtRuntime.empty();
    private FakeDriver driver;
    private Backend cuda;

    @BeforeEach
    void start() {
        driver = new FakeDriver(FakeDriver.hostKernels());
        driver.emulateKernels();
        cuda = driver.device();
        runtime.add(cuda);
        runtime.add(new CudaNativeProvider());
        runtime.add(cpu);
        runtime.add(new CpuNativeProvider());
    }

    @AfterEach
    void end() throws Exception {
        runtime.close();
        cpu.close();
        driver.close();
        driver.assertNoBreach();
        assertEquals(0, driver.used());
    }

    private Path model(DType dtype) throws IOException {
        Path file = folder.resolve(dtype + ".gguf");
        SyntheticModel.write(
                file, new SyntheticModel.Spec("llama", 64, 2, 2, 1, 32, 96, 257, 64, 10_000, 1e-5f, dtype, true, 5));
        return file;
    }

    private static List<GenerateResult> decode(TextGenerator generator, GenerateOptions options) {
        return generator.generateTokens(
                List.of(new int[] {72, 101, 108}, new int[] {87}, new int[] {120, 121}),
                options,
                GenerateListener.NONE);
    }

    private static List<List<Integer>> tokens(List<GenerateResult> results) {
        return results.stream().map(GenerateResult::tokens).toList();
    }

    @Test
    @DisplayName(
            "a batch of sequences gets the tokens that it gets on the CPU, from graphs, with the device ahead of the"
                    + " host")
    void sameTokens() throws IOException {
        Path file = model(DType.F32);
        try (TextGenerator there = TextGenerator.open(file, cuda, runtime.ops());
                TextGenerator here = TextGenerator.open(file, cpu, runtime.ops())) {
            List<GenerateResult> results = decode(there, GREEDY);
            assertEquals(tokens(decode(here, GREEDY)), tokens(results));
            assertEquals("4 of 5 steps replayed, 1 captured", results.getFirst().graph());
            assertEquals(tokens(decode(here, SAMPLED)), tokens(decode(there, SAMPLED)));
        }
    }

    @Test
    @DisplayName("a model in bf16 has bf16 activations and gives the same tokens with graphs and without")
    void halves() throws IOException {
        Path file = model(DType.BF16);
        ModelOptions options = ModelOptions.of(cuda);
        try (TextGenerator graphs = TextGenerator.open(file, cuda, runtime.ops(), options);
                TextGenerator plain = TextGenerator.open(
                        file, cuda, runtime.ops(), options.withGraphs(false).withAhead(false))) {
            assertEquals(DType.BF16, graphs.activations());
            assertEquals(tokens(decode(plain, GREEDY)), tokens(decode(graphs, GREEDY)));
        }
    }
}
