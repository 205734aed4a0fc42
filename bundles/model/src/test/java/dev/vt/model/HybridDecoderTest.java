package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Decoders with linear attention against a forward pass in double precision: logits, greedy tokens, chunks, batches. */
class HybridDecoderTest extends OnDecoders {
    /** f32 against f64 through a few layers: observed differences are below a tenth of this. */
    private static final double TOLERANCE = 6e-4;

    private void compare(TinyHybrid model, String name) {
        compare(
                model.file.write(directory.resolve(name)),
                model.vocabulary,
                tokens -> new ReferenceHybrid(model).logits(tokens),
                TOLERANCE);
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
        batch(model.file.write(directory.resolve("batch.gguf")), model.vocabulary, generator -> {
            Workspace workspace = Objects.requireNonNull(generator.workspace());
            assertEquals(3, Objects.requireNonNull(workspace.states()).freeSlots());
        });
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
                assertEquals(alone(generator, prompts.get(i)), batch.get(i).tokens());
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
        refused(file, words, ErrorCode.FORMAT, ErrorCode.NOT_FOUND);
    }
}
