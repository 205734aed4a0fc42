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
        bias = b.architecture.equals("qwen2");
        headNorms = b.architecture.equals("qwen3");
        tied = b.tied;
        random = new Random(b.seed);
        ropeFactors = b.ropeFactors ? factors() : null;
        keys();
        tensors();
    }

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
            matrix(p + "ffn_gate", ffn, width, false);
            matrix(p + "ffn_up", ffn, width, false);
            matrix(p + "ffn_down", width, ffn, false);
        }
        norm("output_norm.weight", width);
        if (!tied) {
            matrix("output", vocabulary, width, false);
        }
        if (ropeFactors != null) {
            file.tensor("rope_freqs.weight", ropeFactors, ropeFactors.length);
        }
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
