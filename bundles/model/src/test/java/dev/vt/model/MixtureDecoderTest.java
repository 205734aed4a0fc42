package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.ErrorCode;
import dev.vt.api.tensor.DType;
import dev.vt.model.TinyModel.Routing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Mixtures of experts against a forward pass in double precision: logits, greedy tokens, chunks, batches, wrong files. */
class MixtureDecoderTest extends OnDecoders {
    /** f32 against f64 through a few layers: observed differences are below a tenth of this. */
    private static final double TOLERANCE = 2e-4;

    private void compare(TinyModel model) {
        compare(
                model.write(directory),
                model.vocabulary,
                tokens -> new ReferenceDecoder(model).logits(tokens),
                TOLERANCE);
    }

    @Test
    @DisplayName("llama with experts: softmax, weights that add up to 1; 32 greedy tokens and their logits")
    void llama() {
        compare(TinyModel.of("llama").experts(6, 2, 24, 0).build());
    }

    @Test
    @DisplayName("qwen2moe: weights as they are, a shared expert with a gate of its own, biases of attention")
    void qwen2moe() {
        compare(TinyModel.of("qwen2moe").experts(8, 3, 20, 36).untied().build());
    }

    @Test
    @DisplayName("qwen3moe: norms of heads, no shared expert, more layers")
    void qwen3moe() {
        compare(TinyModel.of("qwen3moe")
                .heads(4, 2, 16)
                .experts(16, 4, 12, 0)
                .layers(4)
                .untied()
                .build());
    }

    @Test
    @DisplayName("keys of the file: sigmoid, groups, bias of the choice, scale, a shared expert without a gate")
    void byKeys() {
        compare(TinyModel.of("llama")
                .experts(12, 3, 16, 20)
                .routing(new Routing(true, true, 2.5f, 4, 2, true, false, true))
                .build());
        compare(TinyModel.of("qwen3moe")
                .experts(5, 2, 16, 0)
                .routing(new Routing(false, false, 1.5f, 1, 1, false, false, true))
                .build());
    }

    @Test
    @DisplayName("one expert, and all experts, are mixtures too")
    void extremes() {
        compare(TinyModel.of("llama").experts(1, 1, 24, 0).build());
        compare(TinyModel.of("qwen3moe").experts(4, 4, 8, 0).build());
    }

    @Test
    @DisplayName("experts in a block encoding are used as they are in the file")
    void encoded() {
        TinyModel model = TinyModel.of("qwen2moe").experts(6, 2, 32, 32).build();
        for (int i = 0; i < model.layers; i++) {
            for (String name : List.of("gate_exps", "up_exps", "down_exps", "gate_shexp")) {
                model.file.encode("blk." + i + ".ffn_" + name + ".weight");
            }
        }
        compare(model);
    }

    @Test
    @DisplayName("a mixture of experts: a prompt in pieces of any length gives the same tokens")
    void chunks() {
        TinyModel model = TinyModel.of("qwen2moe").experts(8, 3, 20, 36).build();
        Path file = model.write(directory);
        int[] prompt = DecoderLogitsTest.prompt(37, model.vocabulary);
        List<Integer> whole = trace(file, prompt, 128).tokens();
        for (int chunk : new int[] {36, 7, 1}) {
            assertEquals(whole, trace(file, prompt, chunk).tokens(), "chunk " + chunk);
        }
    }

    @Test
    @DisplayName("a mixture of experts: prompts of a batch get what each gets alone, again and again")
    void batch() {
        TinyModel model = TinyModel.of("qwen2moe").experts(8, 3, 20, 36).build();
        batch(model.write(directory), model.vocabulary, generator -> {});
    }

    @Test
    @DisplayName("synthetic mixtures of block formats run; a batch gets what each prompt gets alone")
    void synthetic() throws IOException {
        for (DType dtype : List.of(DType.Q4_K, DType.BF16)) {
            Path file = directory.resolve("synthetic-" + dtype + ".gguf");
            SyntheticModel.write(file, SyntheticModel.Spec.preset("tiny-moe", dtype));
            List<int[]> prompts = List.of(DecoderLogitsTest.prompt(9, 256), DecoderLogitsTest.prompt(30, 256));
            try (TextGenerator generator = runtime.open(file)) {
                List<GenerateResult> together = generator.generateTokens(prompts, greedy(), GenerateListener.NONE);
                for (int i = 0; i < prompts.size(); i++) {
                    assertEquals(STEPS, together.get(i).tokens().size());
                    assertEquals(
                            alone(generator, prompts.get(i)), together.get(i).tokens());
                }
            }
        }
    }

    @Test
    @DisplayName("files of mixtures that do not fit together are refused, each in one sentence")
    void refused() {
        refused("llama.expert_used_count", 7, "expected at most the 6 that can be chosen, given 7");
        refused("llama.expert_used_count", 0, "expected 1 or more, given 0");
        refused("llama.expert_count", 5, "'blk.0.ffn_gate_exps.weight': expected shape [5, 24, 32]");
        refused("llama.expert_count", -1, "expected 0 or more, given -1");
        refused("llama.expert_group_count", 4, "expected a divisor of the 6 experts, given 4");
        refused("llama.expert_group_used_count", 2, "expected at most the 1 groups, given 2");
        refused("llama.expert_gating_func", 3, "expected 1 (softmax) or 2 (sigmoid), given 3");
        refused("llama.expert_weights_scale", -1f, "expected 0 or a number above, given -1.0");
        refused("llama.expert_feed_forward_length", 25, "'blk.0.ffn_gate_exps.weight': expected shape [6, 25, 32]");
    }

    private void refused(String key, Object value, String words) {
        refused(TinyModel.of("llama").experts(6, 2, 24, 0).build().file.key(key, value), words);
    }

    @Test
    @DisplayName("tensors of a mixture that are missing or that nothing uses are named")
    void tensors() {
        TinyModel missing = TinyModel.of("llama").experts(6, 2, 24, 0).build();
        refused(missing.file.without("blk.1.ffn_up_exps.weight"), "'blk.1.ffn_up_exps.weight'");
        TinyModel unused = TinyModel.of("llama").experts(6, 2, 24, 0).build();
        refused(
                unused.file.tensor("blk.0.ffn_gate.0.weight", new float[32], 32),
                "'blk.0.ffn_gate.0.weight' is not one that a mixture of experts of a llama decoder of this runtime"
                        + " uses");
        TinyModel dense = TinyModel.of("llama").experts(6, 2, 24, 0).build();
        refused(dense.file.key("llama.expert_count", 0), "'blk.0.ffn_gate.weight'");
    }

    private void refused(ModelFile file, String words) {
        refused(file, words, ErrorCode.FORMAT, ErrorCode.UNSUPPORTED);
    }
}
