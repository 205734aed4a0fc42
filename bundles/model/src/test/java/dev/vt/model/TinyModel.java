package dev.vt.model;

import java.nio.file.Path;
import java.util.Random;

/** A decoder with random weights, small enough for a reference in plain loops, that can be written as a GGUF file. */
final class TinyModel {
    final String architecture;
    final int vocabulary = 3 + 256 + 8;
    final int width;
    final int layers;
    final int heads;
    final int kvHeads;
    final int headSize;
    final int ffn;
    final int rotary;
    final double ropeBase;
    final double ropeScale;
    final float eps = 1e-5f;
    final int context;
    final boolean bias;
    final boolean headNorms;
    final boolean tied;
    final float[] ropeFactors;
    final int experts;
    final int used;
    final int expertWidth;
    final int sharedWidth;
    final Routing routing;
    final ModelFile file = new ModelFile();
    private final Random random;

    private TinyModel(Builder b) {
        architecture = b.architecture;
        width = b.width;
        layers = b.layers;
        heads = b.heads;
        kvHeads = b.kvHeads;
        headSize = b.headSize;
        ffn = b.ffn;
        rotary = b.rotary;
        ropeBase = b.ropeBase;
        ropeScale = b.ropeScale;
        context = b.context;
        bias = b.architecture.startsWith("qwen2");
        headNorms = b.architecture.startsWith("qwen3");
        tied = b.tied;
        experts = b.experts;
        used = b.used;
        expertWidth = b.expertWidth;
        sharedWidth = b.sharedWidth;
        routing = b.routing;
        random = new Random(b.seed);
        ropeFactors = b.ropeFactors ? factors() : null;
        keys();
        tensors();
    }

    /**
     * How experts are chosen and weighed.
     *
     * @param said whether the file has keys for it
     */
    record Routing(
            boolean sigmoid,
            boolean normed,
            float scale,
            int groups,
            int keptGroups,
            boolean bias,
            boolean sharedGate,
            boolean said) {}

    /** What the tests vary; the rest is fixed. */
    static final class Builder {
        private final String architecture;
        private int width = 32;
        private int layers = 2;
        private int heads = 4;
        private int kvHeads = 2;
        private int headSize = 8;
        private int ffn = 48;
        private int rotary = 8;
        private double ropeBase = 10_000;
        private double ropeScale = 1;
        private int context = 96;
        private boolean tied = true;
        private boolean ropeFactors;
        private int experts;
        private int used;
        private int expertWidth;
        private int sharedWidth;
        private Routing routing;
        private long seed = 7;

        Builder(String architecture) {
            this.architecture = architecture;
        }

        Builder heads(int count, int kvCount, int size) {
            heads = count;
            kvHeads = kvCount;
            headSize = size;
            rotary = size;
            return this;
        }

        Builder rope(int rotaryDim, double base, double scale, boolean factors) {
            rotary = rotaryDim;
            ropeBase = base;
            ropeScale = scale;
            ropeFactors = factors;
            return this;
        }

        Builder untied() {
            tied = false;
            return this;
        }

        Builder layers(int count) {
            layers = count;
            return this;
        }

        Builder context(int tokens) {
            context = tokens;
            return this;
        }

        /** Makes the feed-forward parts mixtures; {@code shared} is 0 where no expert is for all tokens. */
        Builder experts(int count, int ofToken, int width, int shared) {
            experts = count;
            used = ofToken;
            expertWidth = width;
            sharedWidth = shared;
            routing = new Routing(false, !architecture.equals("qwen2moe"), 1, 1, 1, false, true, false);
            return this;
        }

        /** Says by keys and tensors what is not usual. */
        Builder routing(Routing wanted) {
            routing = wanted;
            return this;
        }

        TinyModel build() {
            return new TinyModel(this);
        }
    }

    static Builder of(String architecture) {
        return new Builder(architecture);
    }

    Path write(Path directory) {
        return file.write(directory.resolve(architecture + ".gguf"));
    }

    ReferenceMixture.Sizes mixture() {
        return new ReferenceMixture.Sizes(width, experts, used, expertWidth, sharedWidth, routing);
    }

    float[] weight(String name) {
        return file.tensor(name);
    }

    private void keys() {
        String a = architecture + ".";
        file.key("general.architecture", architecture)
                .key(a + "context_length", context)
                .key(a + "embedding_length", width)
                .key(a + "block_count", layers)
                .key(a + "feed_forward_length", ffn)
                .key(a + "attention.head_count", heads)
                .key(a + "attention.head_count_kv", kvHeads)
                .key(a + "attention.key_length", headSize)
                .key(a + "attention.value_length", headSize)
                .key(a + "attention.layer_norm_rms_epsilon", eps)
                .key(a + "rope.dimension_count", rotary)
                .key(a + "rope.freq_base", (float) ropeBase);
        if (ropeScale != 1) {
            file.key(a + "rope.scaling.type", "linear").key(a + "rope.scaling.factor", (float) ropeScale);
        }
        if (experts > 0) {
            file.key(a + "expert_count", experts).key(a + "expert_used_count", used);
            if (routing.said()) {
                file.key(a + "expert_gating_func", routing.sigmoid() ? 2 : 1)
                        .key(a + "expert_weights_norm", routing.normed())
                        .key(a + "expert_weights_scale", routing.scale())
                        .key(a + "expert_group_count", routing.groups())
                        .key(a + "expert_group_used_count", routing.keptGroups())
                        .key(a + "expert_feed_forward_length", expertWidth)
                        .key(a + "expert_shared_feed_forward_length", sharedWidth);
            }
        }
        String[] tokens = new String[vocabulary];
        float[] scores = new float[vocabulary];
        int[] types = new int[vocabulary];
        String[] extra = {"\u2581", "a", "b", "c", "d", "e", "f", "g"};
        for (int i = 0; i < vocabulary; i++) {
            types[i] = i == 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1;
            tokens[i] = i == 0
                    ? "<unk>"
                    : i == 1 ? "<s>" : i == 2 ? "</s>" : i < 259 ? String.format("<0x%02X>", i - 3) : extra[i - 259];
            scores[i] = -i;
        }
        file.key("tokenizer.ggml.model", "llama")
                .key("tokenizer.ggml.tokens", tokens)
                .key("tokenizer.ggml.scores", scores)
                .key("tokenizer.ggml.token_type", types)
                .key("tokenizer.ggml.bos_token_id", 1)
                .key("tokenizer.ggml.eos_token_id", 2)
                .key("tokenizer.ggml.unknown_token_id", 0)
                .key("tokenizer.ggml.add_bos_token", true);
    }

    private void tensors() {
        file.tensor("token_embd.weight", noise(vocabulary * width, 1, 0), vocabulary, width);
        for (int i = 0; i < layers; i++) {
            String p = "blk." + i + ".";
            norm(p + "attn_norm.weight", width);
            matrix(p + "attn_q", heads * headSize, width, bias);
            matrix(p + "attn_k", kvHeads * headSize, width, bias);
            matrix(p + "attn_v", kvHeads * headSize, width, bias);
            if (headNorms) {
                norm(p + "attn_q_norm.weight", headSize);
                norm(p + "attn_k_norm.weight", headSize);
            }
            matrix(p + "attn_output", width, heads * headSize, false);
            norm(p + "ffn_norm.weight", width);
            if (experts > 0) {
                mixture(p);
            } else {
                matrix(p + "ffn_gate", ffn, width, false);
                matrix(p + "ffn_up", ffn, width, false);
                matrix(p + "ffn_down", width, ffn, false);
            }
        }
        norm("output_norm.weight", width);
        if (!tied) {
            matrix("output", vocabulary, width, false);
        }
        if (ropeFactors != null) {
            file.tensor("rope_freqs.weight", ropeFactors, ropeFactors.length);
        }
    }

    private void mixture(String p) {
        matrix(p + "ffn_gate_inp", experts, width, false);
        matrices(p + "ffn_gate_exps.weight", expertWidth, width);
        matrices(p + "ffn_up_exps.weight", expertWidth, width);
        matrices(p + "ffn_down_exps.weight", width, expertWidth);
        if (routing.bias()) {
            file.tensor(p + "exp_probs_b.bias", noise(experts, 0.3, 0), experts);
        }
        if (sharedWidth > 0) {
            matrix(p + "ffn_gate_shexp", sharedWidth, width, false);
            matrix(p + "ffn_up_shexp", sharedWidth, width, false);
            matrix(p + "ffn_down_shexp", width, sharedWidth, false);
            if (routing.sharedGate()) {
                file.tensor(p + "ffn_gate_inp_shexp.weight", noise(width, 0.3, 0), width);
            }
        }
    }

    private void matrices(String name, int out, int in) {
        file.tensor(name, noise(experts * out * in, 1.7 / Math.sqrt(in), 0), experts, out, in);
    }

    private float[] factors() {
        float[] out = new float[rotary / 2];
        for (int i = 0; i < out.length; i++) {
            out[i] = 1 + 2f * i;
        }
        return out;
    }

    private void matrix(String name, int out, int in, boolean withBias) {
        file.tensor(name + ".weight", noise(out * in, 1.7 / Math.sqrt(in), 0), out, in);
        if (withBias) {
            file.tensor(name + ".bias", noise(out, 0.4, 0), out);
        }
    }

    private void norm(String name, int size) {
        file.tensor(name, noise(size, 0.2, 1), size);
    }

    private float[] noise(int count, double scale, double mean) {
        float[] out = new float[count];
        for (int i = 0; i < count; i++) {
            out[i] = (float) (mean + scale * random.nextGaussian());
        }
        return out;
    }
}
