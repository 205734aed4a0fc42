package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Decoders with linear attention against a forward pass in double precision: logits, greedy tokens, chunks, batches. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HybridDecoderTest {
    private static final int STEPS = 32;

    /** f32 against f64 through a few layers: observed differences are below a tenth of this. */
    private static final double TOLERANCE = 6e-4;

    @TempDir
    private Path directory;

    private TestRuntime runtime;

    @BeforeAll
    void start() {
        runtime = new TestRuntime();
    }

    @AfterAll
    void stop() {
        runtime.close();
    }

    /** Logits of each step of one prompt. */
    private record Trace(List<Integer> tokens, List<float[]> logits) {}

    private Trace trace(Path file, int[] prompt, int chunk) {
        List<float[]> steps = new ArrayList<>();
        try (TextGenerator generator = runtime.open(file, chunk)) {
            List<Integer> tokens = generator
                    .generateTokens(List.of(prompt), greedy(), new GenerateListener() {
                        @Override
                        public void token(int sequence, int id, String text) {
                            Workspace workspace = Objects.requireNonNull(generator.workspace());
                            steps.add(DecoderLogitsTest.floats(
                                    workspace.buffers().logits.of(1)));
                        }
                    })
                    .getFirst()
                    .tokens();
            return new Trace(tokens, steps);
        }
    }

    private static GenerateOptions greedy() {
        return new GenerateOptions(STEPS, 0, 0, 1, 0, 1, 0, 0, 0, true);
    }

    private static int argmax(double[] row) {
        int best = 0;
        for (int i = 1; i < row.length; i++) {
            best = row[i] > row[best] ? i : best;
        }
        return best;
    }

    private void compare(TinyHybrid model, String name) {
        int[] prompt = DecoderLogitsTest.prompt(37, model.vocabulary);
        Trace trace = trace(model.file.write(directory.resolve(name)), prompt, 16);
        assertEquals(STEPS, trace.tokens().size());
        int[] all = new int[prompt.length + STEPS];
        System.arraycopy(prompt, 0, all, 0, prompt.length);
        for (int i = 0; i < STEPS; i++) {
            all[prompt.length + i] = trace.tokens().get(i);
        }
        double[][] expected = new ReferenceHybrid(model).logits(all);
        for (int step = 0; step < STEPS; step++) {
            double[] row = expected[prompt.length - 1 + step];
            assertEquals(argmax(row), trace.tokens().get(step), "step " + step);
            for (int v = 0; v < row.length; v++) {
                assertEquals(row[v], trace.logits().get(step)[v], TOLERANCE, "step " + step + ", token " + v);
            }
        }
    }

    @Test
    @DisplayName("qwen3next: linear and gated full attention in turn; 32 greedy tokens and their logits")
    void usual() {
        compare(TinyHybrid.usual(), "usual.gguf");
    }

    @Test
    @DisplayName(
            "qwen3next: as many value heads as key heads, odd sizes, a wide convolution, three linear layers to one")
    void odd() {
        compare(new TinyHybrid(5, 4, new int[] {3, 5}, new int[] {3, 7}, 6), "odd.gguf");
    }

    @Test
    @DisplayName("qwen3next: a convolution of one token keeps no inputs; three value heads to a key head")
    void noTaps() {
        compare(new TinyHybrid(2, 2, new int[] {1, 16}, new int[] {3, 4}, 1), "no-taps.gguf");
    }

    @Test
    @DisplayName("qwen3next: mixtures of experts in all layers, with a shared expert")
    void experts() {
        TinyModel.Routing routing = new TinyModel.Routing(false, true, 1, 1, 1, false, true, false);
        compare(TinyHybrid.usual().withExperts(new ReferenceMixture.Sizes(32, 10, 3, 16, 24, routing)), "experts.gguf");
    }

    @Test
    @DisplayName("qwen3next: a prompt in pieces of any length gives the same bits, down to token by token")
    void chunks() {
        TinyHybrid model = TinyHybrid.usual();
        Path file = model.file.write(directory.resolve("chunks.gguf"));
        int[] prompt = DecoderLogitsTest.prompt(37, model.vocabulary);
        Trace whole = trace(file, prompt, 128);
        for (int chunk : new int[] {36, 16, 7, 1}) {
            Trace pieces = trace(file, prompt, chunk);
            assertEquals(whole.tokens(), pieces.tokens(), "chunk " + chunk);
            for (int step = 0; step < STEPS; step++) {
                assertArrayEquals(whole.logits().get(step), pieces.logits().get(step), 1e-5f, "chunk " + chunk);
            }
        }
    }

    @Test
    @DisplayName("qwen3next: prompts of a batch get what each gets alone, again and again, and give their states back")
    void batch() {
        TinyHybrid model = TinyHybrid.usual();
        Path file = model.file.write(directory.resolve("batch.gguf"));
        List<int[]> prompts = List.of(
                DecoderLogitsTest.prompt(23, model.vocabulary),
                DecoderLogitsTest.prompt(1, model.vocabulary),
                DecoderLogitsTest.prompt(40, model.vocabulary));
        List<List<Integer>> alone = new ArrayList<>();
        for (int[] prompt : prompts) {
            alone.add(trace(file, prompt, 24).tokens());
        }
        try (TextGenerator generator = runtime.open(file, 24)) {
            for (int round = 0; round < 2; round++) {
                List<GenerateResult> together = generator.generateTokens(prompts, greedy(), GenerateListener.NONE);
                for (int i = 0; i < prompts.size(); i++) {
                    assertEquals(alone.get(i), together.get(i).tokens(), "round " + round + ", prompt " + i);
                }
                assertEquals(
                        alone.get(1),
                        generator
                                .generateTokens(prompts.subList(1, 2), greedy(), GenerateListener.NONE)
                                .getFirst()
                                .tokens());
                Workspace workspace = Objects.requireNonNull(generator.workspace());
                assertEquals(3, Objects.requireNonNull(workspace.states()).freeSlots());
            }
        }
    }

    @Test
    @DisplayName("qwen3next: sequences of a batch that end apart leave the states of the others as they were")
    void unequalEnds() {
        TinyHybrid model = TinyHybrid.usual();
        Path file = model.file.write(directory.resolve("ends.gguf"));
        List<int[]> prompts = List.of(
                DecoderLogitsTest.prompt(96, model.vocabulary),
                DecoderLogitsTest.prompt(90, model.vocabulary),
                DecoderLogitsTest.prompt(9, model.vocabulary));
        try (TextGenerator generator = runtime.open(file)) {
            List<GenerateResult> batch = generator.generateTokens(prompts, greedy(), GenerateListener.NONE);
            assertEquals(1, batch.get(0).tokens().size());
            assertEquals(7, batch.get(1).tokens().size());
            for (int i = 0; i < prompts.size(); i++) {
                assertEquals(
                        generator
                                .generateTokens(List.of(prompts.get(i)), greedy(), GenerateListener.NONE)
                                .getFirst()
                                .tokens(),
                        batch.get(i).tokens());
            }
        }
    }

    @Test
    @DisplayName("qwen3next: files that do not fit together are refused, each in one sentence")
    void refused() {
        refused(TinyHybrid.usual().file.key("qwen3next.ssm.time_step_rank", 3), "a multiple of the 2 key heads");
        refused(TinyHybrid.usual().file.key("qwen3next.ssm.inner_size", 47), "a multiple of the 4 value heads");
        refused(TinyHybrid.usual().file.key("qwen3next.ssm.conv_kernel", 0), "1 or more");
        refused(TinyHybrid.usual().file.key("qwen3next.ssm.conv_kernel", 5), "'blk.0.ssm_conv1d.weight'");
        refused(TinyHybrid.usual().file.without("blk.0.ssm_ba.weight"), "'blk.0.ssm_ba.weight'");
        refused(
                TinyHybrid.usual().file.tensor("blk.0.ssm_a", new float[] {-1, -2, 0.5f, -1}, 4),
                "tensor 'blk.0.ssm_a': expected numbers up to 0, given 0.5");
    }

    private void refused(ModelFile file, String words) {
        Path path = file.write(directory.resolve("refused.gguf"));
        VtException e = assertThrows(VtException.class, () -> runtime.open(path));
        assertTrue(e.getMessage().contains(words), e.getMessage());
        assertTrue(e.code() == ErrorCode.FORMAT || e.code() == ErrorCode.NOT_FOUND, e.code() + " " + e.getMessage());
    }
}
