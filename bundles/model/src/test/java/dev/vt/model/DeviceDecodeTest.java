package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.ops.OpTable;
import dev.vt.registry.VtRuntime;
import dev.vt.testkit.DoubleProvider;
import dev.vt.testkit.TestDevices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generation on a device with memory of its own: with graphs and without, ahead of the host and in step with it. */
class DeviceDecodeTest {
    @TempDir
    private Path directory;

    private Path model;

    @BeforeEach
    void write() {
        model = TinyModel.of("llama").context(96).build().write(directory);
    }

    private static GenerateOptions greedy(int tokens) {
        return new GenerateOptions(tokens, 0, 0, 1, 0, 1, 0, 0, 0, true);
    }

    private static GenerateOptions sampled(int tokens, double penalty, boolean ignoreEnd) {
        return new GenerateOptions(tokens, 1.5, 40, 0.95, 0.01, penalty, 0, 0, 11, ignoreEnd);
    }

    private static List<int[]> prompts(int count) {
        List<int[]> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            out.add(DecoderLogitsTest.prompt(3 + 7 * i, 267));
        }
        return out;
    }

    private static List<List<Integer>> tokens(TextGenerator generator, List<int[]> prompts, GenerateOptions options) {
        return results(generator, prompts, options).stream()
                .map(GenerateResult::tokens)
                .toList();
    }

    private static List<GenerateResult> results(TextGenerator generator, List<int[]> prompts, GenerateOptions options) {
        return generator.generateTokens(prompts, options, GenerateListener.NONE);
    }

    private List<List<Integer>> onCpu(Path file, List<int[]> prompts, GenerateOptions options) {
        try (TestRuntime runtime = new TestRuntime();
                TextGenerator generator = runtime.open(file)) {
            return tokens(generator, prompts, options);
        }
    }

    @Test
    @DisplayName(
            "a device whose memory the host can't address gives the CPU's tokens, greedily and sampled, alone and in"
                    + " batches")
    void plain() {
        sameTokens(false, false, false);
    }

    @Test
    @DisplayName("with graphs it does so too")
    void graphs() {
        sameTokens(true, false, false);
    }

    @Test
    @DisplayName("ahead of the host it does so too")
    void ahead() {
        sameTokens(false, true, false);
    }

    @Test
    @DisplayName("with graphs and ahead of the host it does so too, also where work is kept back until it is flushed")
    void graphsAhead() {
        sameTokens(true, true, false);
        sameTokens(true, true, true);
    }

    private void sameTokens(boolean graphs, boolean ahead, boolean deferred) {
        try (DeviceRuntime runtime = new DeviceRuntime(
                        TestDevices.discrete().deferred(deferred).open());
                TextGenerator generator =
                        runtime.open(model, runtime.options().withGraphs(graphs).withAhead(ahead))) {
            for (int count : new int[] {1, 3, 5}) {
                for (GenerateOptions options :
                        List.of(greedy(20), sampled(20, 1, true), sampled(20, 1.2, true), sampled(20, 1, false))) {
                    assertEquals(
                            onCpu(model, prompts(count), options),
                            tokens(generator, prompts(count), options),
                            count + " prompts, " + options);
                }
            }
        }
    }

    @Test
    @DisplayName("other dense architectures do so too")
    void architectures() {
        for (String architecture : List.of("qwen2", "qwen3")) {
            Path file = TinyModel.of(architecture).untied().build().write(directory);
            try (DeviceRuntime runtime =
                            new DeviceRuntime(TestDevices.discrete().open());
                    TextGenerator generator = runtime.open(file, runtime.options())) {
                for (int count : new int[] {1, 3}) {
                    assertEquals(
                            onCpu(file, prompts(count), greedy(20)), tokens(generator, prompts(count), greedy(20)));
                }
            }
        }
    }

    @Test
    @DisplayName("steps of one padded number of sequences are replays of one graph, and the result says how many")
    void told() {
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open());
                TextGenerator generator = runtime.open(model, runtime.options())) {
            // The first of the 19 steps makes the kernels ready, the second is captured and replayed. Each call counts
            // what is
            // served, which is a new selection.
            assertEquals("18 of 19 steps replayed, 1 captured", graph(generator, prompts(1), greedy(20)));
            assertEquals("19 of 19 steps replayed, 0 captured", graph(generator, prompts(1), greedy(20)));
            assertEquals("18 of 19 steps replayed, 1 captured", graph(generator, prompts(3), greedy(20)));
            assertEquals("18 of 19 steps replayed, 1 captured", graph(generator, prompts(4), sampled(20, 1, true)));
        }
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open());
                TextGenerator generator = runtime.open(model, runtime.options().withGraphs(false))) {
            assertEquals("off", graph(generator, prompts(1), greedy(20)));
        }
    }

    private static String graph(TextGenerator generator, List<int[]> prompts, GenerateOptions options) {
        return results(generator, prompts, options).getFirst().graph();
    }

    @Test
    @DisplayName("a model with linear attention decodes in graphs too, with padding, and gives the CPU's tokens")
    void hybrid() {
        Path file = TinyHybrid.usual().file.write(directory.resolve("hybrid.gguf"));
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open());
                TextGenerator generator = runtime.open(file, runtime.options())) {
            List<GenerateResult> results = results(generator, prompts(3), greedy(20));
            assertEquals(
                    onCpu(file, prompts(3), greedy(20)),
                    results.stream().map(GenerateResult::tokens).toList());
            assertEquals(
                    "18 of 19 steps replayed, 1 captured", results.getFirst().graph());
        }
    }

    @Test
    @DisplayName("a mixture of experts, which waits for the choice of experts, goes on without graphs and says why")
    void mixture() {
        Path file = TinyModel.of("llama").experts(6, 2, 24, 0).build().write(directory);
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open());
                TextGenerator generator = runtime.open(file, runtime.options())) {
            List<GenerateResult> results = results(generator, prompts(3), greedy(20));
            assertEquals(
                    onCpu(file, prompts(3), greedy(20)),
                    results.stream().map(GenerateResult::tokens).toList());
            String told = results.getFirst().graph();
            assertTrue(told.startsWith("none: queue ") && told.contains("during a capture"), told);
        }
    }

    @Test
    @DisplayName("S17 when a provider comes, is replaced or leaves between two tokens the graph is captured anew: same"
            + " tokens")
    void providersChange() {
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open());
                TextGenerator generator = runtime.open(model, runtime.options())) {
            Deque<VtRuntime.Registration> guests = new ArrayDeque<>();
            List<DoubleProvider> all = new ArrayList<>();
            GenerateListener swapper = new GenerateListener() {
                private int count;

                @Override
                public void token(int sequence, int id, String text) {
                    count++;
                    if (count == 10 || count == 30) {
                        DoubleProvider guest = runtime.provider("guest", 10);
                        all.add(guest);
                        guests.push(runtime.runtime().add(guest));
                    } else if (count == 20 || count == 40) {
                        guests.pop().close();
                    }
                }
            };
            GenerateResult result =
                    generator.generateTokens(prompts(1), greedy(60), swapper).getFirst();
            assertEquals(onCpu(model, prompts(1), greedy(60)), List.of(result.tokens()));
            assertEquals("58 of 59 steps replayed, 5 captured", result.graph());
            // Each captured once.
            assertEquals(1, all.get(0).calls(OpTable.GREEDY_ARGMAX));
            assertEquals(1, all.get(1).calls(OpTable.GREEDY_ARGMAX));
        }
    }

    @Test
    @DisplayName("S17 a provider that leaves from another thread while the device is ahead: same tokens, no failure")
    void providersLeaveAtAnyMoment() throws InterruptedException {
        List<List<Integer>> expected = onCpu(model, prompts(3), greedy(60));
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open());
                TextGenerator generator = runtime.open(model, runtime.options())) {
            AtomicBoolean stop = new AtomicBoolean();
            Thread swapper = Thread.ofPlatform().start(() -> {
                while (!stop.get()) {
                    runtime.runtime().add(runtime.provider("guest", 10)).close();
                }
            });
            try {
                for (int i = 0; i < 10; i++) {
                    assertEquals(expected, tokens(generator, prompts(3), greedy(60)));
                }
            } finally {
                stop.set(true);
                swapper.join();
            }
        }
    }

    @Test
    @DisplayName("activations in bf16 give the logits of those in f32 but for their rounding")
    void bf16() {
        try (TestRuntime runtime = new TestRuntime()) {
            ModelOptions options = ModelOptions.of(runtime.backend());
            float[] exact = firstLogits(runtime, options);
            float[] rounded = firstLogits(runtime, options.withActivations(DType.BF16));
            double error = 0;
            double size = 0;
            for (int i = 0; i < exact.length; i++) {
                error += Math.pow(exact[i] - rounded[i], 2);
                size += Math.pow(exact[i], 2);
            }
            double ratio = Math.sqrt(error / size);
            assertTrue(ratio > 1e-4 && ratio < 0.03, "relative error " + ratio);
        }
    }

    private float[] firstLogits(TestRuntime runtime, ModelOptions options) {
        try (TextGenerator generator = runtime.open(model, options)) {
            tokens(generator, prompts(1), greedy(1));
            return DecoderLogitsTest.floats(
                    generator.workspace().buffers().logits.of(1));
        }
    }

    @Test
    @DisplayName(
            "a dense decoder with bf16 matrices has bf16 activations on a device with memory of its own, and else f32")
    void chosenActivations() throws IOException {
        Path file = directory.resolve("bf16.gguf");
        SyntheticModel.write(file, SyntheticModel.Spec.preset("tiny", DType.BF16));
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open());
                TextGenerator generator = runtime.open(file, runtime.options());
                TestRuntime cpu = new TestRuntime();
                TextGenerator onCpu = cpu.open(file)) {
            GenerateResult result = results(generator, List.of(new int[] {65, 66, 67}), greedy(12))
                    .getFirst();
            assertEquals("10 of 11 steps replayed, 1 captured", result.graph());
            assertEquals(DType.BF16, keys(generator));
            onCpu.generateTokens(List.of(new int[] {65}), greedy(1), GenerateListener.NONE);
            assertEquals(DType.F32, keys(onCpu));
        }
    }

    private static DType keys(TextGenerator generator) {
        return generator.workspace().cache().keys(0).dtype();
    }

    @Test
    @DisplayName("a kernel that fails while the device is ahead fails the generation; the next one works")
    void failure() {
        try (DeviceRuntime runtime = new DeviceRuntime(
                        TestDevices.discrete().failingTask(200).open());
                TextGenerator generator = runtime.open(model, runtime.options().withGraphs(false))) {
            VtException e = assertThrows(VtException.class, () -> tokens(generator, prompts(2), greedy(60)));
            assertEquals(ErrorCode.KERNEL_FAILED, e.code());
            assertEquals(onCpu(model, prompts(2), greedy(60)), tokens(generator, prompts(2), greedy(60)));
        }
    }

    @Test
    @DisplayName("a closed generator leaves no memory and no queue on the device")
    void leavesNothing() {
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open())) {
            try (TextGenerator generator = runtime.open(model, runtime.options())) {
                tokens(generator, prompts(2), greedy(10));
                tokens(generator, prompts(5), sampled(90, 1.1, true));
            }
            assertEquals(0, runtime.device().memoryUse().blocks());
            assertEquals(0, runtime.device().memoryUse().queues());
            assertEquals(0, runtime.device().counts().usesAfterFree());
        }
    }

    @Test
    @DisplayName("a workspace that finds no memory for one of its parts gives the others back")
    void noMemory() {
        long blocks;
        try (DeviceRuntime runtime = new DeviceRuntime(TestDevices.discrete().open());
                TextGenerator generator = runtime.open(model, runtime.options())) {
            tokens(generator, prompts(1), greedy(3));
            blocks = runtime.device().counts().allocations();
        }
        for (long n = 1; n <= blocks; n++) {
            try (DeviceRuntime runtime = new DeviceRuntime(
                    TestDevices.discrete().failingAllocation(n).open())) {
                assertThrows(VtException.class, () -> {
                    try (TextGenerator generator = runtime.open(model, runtime.options())) {
                        tokens(generator, prompts(1), greedy(3));
                    }
                });
                assertEquals(0, runtime.device().memoryUse().blocks(), "allocation " + n);
                assertEquals(0, runtime.device().memoryUse().queues(), "allocation " + n);
            }
        }
    }

    @Test
    @DisplayName("options that can't be are refused")
    void options() {
        try (TestRuntime runtime = new TestRuntime()) {
            ModelOptions options = ModelOptions.of(runtime.backend());
            assertFalse(options.graphs() || options.ahead());
            assertThrows(VtException.class, () -> options.withChunk(0));
            assertThrows(VtException.class, () -> options.withActivations(DType.F16));
        }
    }
}
