package dev.vt.model;

import java.util.Random;

/**
 * A hybrid of linear and gated full attention with random weights, small enough for a reference in plain loops. It keeps
 * what a training has (the logarithms of decays, norms around 0) and writes what a file has.
 */
final class TinyHybrid {
    final int vocabulary = 267;
    final int width = 32;
    final int layers;
    final int interval;
    final int heads = 4;
    final int kvHeads = 2;
    final int headSize = 16;
    final int rotary = 8;
    final int ffn = 48;
    final int keyHeads;
    final int keySize;
    final int valueHeads;
    final int valueSize;
    final int taps;
    final float eps = 1e-5f;
    final ModelFile file;
    private final Random random = new Random(11);
    private ReferenceMixture.Sizes mixture;

    /** Another file with the same seed has the same weights. */
    TinyHybrid(int layers, int interval, int[] keys, int[] values, int taps) {
        this.layers = layers;
        this.interval = interval;
        keyHeads = keys[0];
        keySize = keys[1];
        valueHeads = values[0];
        valueSize = values[1];
        this.taps = taps;
        // The vocabulary and the tokenizer are those of the other tiny models.
        file = TinyModel.of("qwen3next").layers(0).build().file;
        keys();
        tensors();
    }

    /** Two linear layers between layers of full attention, two value heads to a key head. */
    static TinyHybrid usual() {
        return new TinyHybrid(4, 2, new int[] {2, 8}, new int[] {4, 12}, 4);
    }

    /** Puts mixtures in the place of the dense feed-forward parts, with a shared expert that has a gate. */
    TinyHybrid withExperts(ReferenceMixture.Sizes sizes) {
        mixture = sizes;
        file.key("qwen3next.expert_count", sizes.experts()).key("qwen3next.expert_used_count", sizes.used());
        for (int i = 0; i < layers; i++) {
            String p = "blk." + i + ".ffn_";
            for (String part : new String[] {"gate", "up", "down"}) {
                file.without(p + part + ".weight");
                boolean down = part.equals("down");
                matrices(p + part + "_exps.weight", sizes.experts(), sizes.expertWidth(), down);
                matrix(
                        p + part + "_shexp.weight",
                        down ? width : sizes.sharedWidth(),
                        down ? sizes.sharedWidth() : width);
            }
            matrix(p + "gate_inp.weight", sizes.experts(), width);
            file.tensor(p + "gate_inp_shexp.weight", noise(width, 0.3, 0), width);
        }
        return this;
    }

    private void matrices(String name, int count, int inner, boolean down) {
        int out = down ? width : inner;
        int in = down ? inner : width;
        file.tensor(name, noise(count * out * in, 1.7 / Math.sqrt(in), 0), count, out, in);
    }

    /** The mixtures, or null. */
    ReferenceMixture.Sizes mixture() {
        return mixture;
    }

    boolean linear(int layer) {
        return (layer + 1) % interval != 0;
    }

    float[] weight(String name) {
        return file.tensor(name);
    }

    private void keys() {
        String a = "qwen3next.";
        file.key(a + "embedding_length", width)
                .key(a + "block_count", layers)
                .key(a + "feed_forward_length", ffn)
                .key(a + "attention.head_count", heads)
                .key(a + "attention.head_count_kv", kvHeads)
                .key(a + "attention.key_length", headSize)
                .key(a + "attention.value_length", headSize)
                .key(a + "attention.layer_norm_rms_epsilon", eps)
                .key(a + "rope.dimension_count", rotary)
                .key(a + "rope.freq_base", 10_000f)
                .key(a + "full_attention_interval", interval)
                .key(a + "ssm.conv_kernel", taps)
                .key(a + "ssm.state_size", keySize)
                .key(a + "ssm.group_count", keyHeads)
                .key(a + "ssm.time_step_rank", valueHeads)
                .key(a + "ssm.inner_size", valueHeads * valueSize);
    }

    private void tensors() {
        file.tensor("token_embd.weight", noise(vocabulary * width, 1, 0), vocabulary, width);
        for (int i = 0; i < layers; i++) {
            String p = "blk." + i + ".";
            norm(p + "attn_norm.weight", width);
            if (linear(i)) {
                delta(p);
            } else {
                attention(p);
            }
            norm(p + "post_attention_norm.weight", width);
            matrix(p + "ffn_gate.weight", ffn, width);
            matrix(p + "ffn_up.weight", ffn, width);
            matrix(p + "ffn_down.weight", width, ffn);
        }
        norm("output_norm.weight", width);
        matrix("output.weight", vocabulary, width);
    }

    private void attention(String p) {
        matrix(p + "attn_q.weight", 2 * heads * headSize, width);
        matrix(p + "attn_k.weight", kvHeads * headSize, width);
        matrix(p + "attn_v.weight", kvHeads * headSize, width);
        norm(p + "attn_q_norm.weight", headSize);
        norm(p + "attn_k_norm.weight", headSize);
        matrix(p + "attn_output.weight", width, heads * headSize);
    }

    private void delta(String p) {
        int channels = 2 * keyHeads * keySize + valueHeads * valueSize;
        matrix(p + "attn_qkv.weight", channels, width);
        matrix(p + "attn_gate.weight", valueHeads * valueSize, width);
        matrix(p + "ssm_ba.weight", 2 * valueHeads, width);
        file.tensor(p + "ssm_conv1d.weight", noise(channels * taps, 0.7, 0), channels, taps);
        float[] a = noise(valueHeads, 0.8, -1);
        for (int i = 0; i < a.length; i++) {
            a[i] = -(float) Math.exp(a[i]);
        }
        file.tensor(p + "ssm_a", a, valueHeads);
        file.tensor(p + "ssm_dt.bias", noise(valueHeads, 1, -1), valueHeads);
        norm(p + "ssm_norm.weight", valueSize);
        matrix(p + "ssm_out.weight", width, valueHeads * valueSize);
    }

    private void matrix(String name, int out, int in) {
        file.tensor(name, noise(out * in, 1.7 / Math.sqrt(in), 0), out, in);
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
