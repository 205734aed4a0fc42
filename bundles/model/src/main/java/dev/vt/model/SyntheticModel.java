package dev.vt.model;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.model.gguf.GgufWriter;
import dev.vt.model.tokenizer.Tokenizers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Writes models of given sizes with random weights, for performance runs and tests: all the work of a real model, none
 * of its sense. The same specification gives the same bytes. The vocabulary has a token for each byte, so any text goes
 * in. Stateless; any thread may use it.
 */
public final class SyntheticModel {
    private static final Set<String> ARCHITECTURES = Set.of("llama", "qwen2", "qwen3");
    private static final int NORMAL = 1;
    private static final int CONTROL = 3;
    private static final int UNUSED = 5;
    /** A token for each byte and the one that ends a text. */
    private static final int LEAST_VOCABULARY = 257;

    private final Spec spec;
    private final GgufWriter writer = new GgufWriter();

    /**
     * What to make.
     *
     * @param architecture llama, qwen2 or qwen3
     * @param width size of the hidden state
     * @param layers number of layers
     * @param heads query heads
     * @param kvHeads key and value heads
     * @param headSize size of a head
     * @param feedForward inner size of the feed-forward part
     * @param vocabulary number of tokens, 257 at least
     * @param context longest text in tokens
     * @param ropeBase base of the rotary frequencies
     * @param epsilon epsilon of the norms
     * @param matrices format of the matrices; one whose rows are not whole blocks of it is written as q8_0
     * @param tied whether the output matrix is the embedding
     * @param seed what the weights come from
     */
    public record Spec(
            String architecture,
            int width,
            int layers,
            int heads,
            int kvHeads,
            int headSize,
            int feedForward,
            int vocabulary,
            int context,
            float ropeBase,
            float epsilon,
            DType matrices,
            boolean tied,
            long seed) {
        public Spec {
            require(ARCHITECTURES.contains(architecture), "architecture", "llama, qwen2 or qwen3", architecture);
            require(width >= 32 && width % 32 == 0, "width", "a multiple of 32", width);
            require(layers >= 1, "layers", "1 or more", layers);
            require(heads >= 1, "heads", "1 or more", heads);
            require(kvHeads >= 1 && heads % kvHeads == 0, "key and value heads", "a divisor of " + heads, kvHeads);
            require(headSize >= 32 && headSize % 32 == 0, "head size", "a multiple of 32", headSize);
            require(feedForward >= 32 && feedForward % 32 == 0, "feed-forward size", "a multiple of 32", feedForward);
            require(vocabulary >= LEAST_VOCABULARY, "vocabulary", LEAST_VOCABULARY + " or more", vocabulary);
            require(context >= 1, "context", "1 or more", context);
            require(RandomWeights.makes(matrices), "matrices", "a float or block format for weights", matrices);
        }

        /** The sizes of a public model, or "tiny"; see {@link #presets()}. */
        public static Spec preset(String name, DType matrices) {
            return switch (name) {
                case "tiny" -> new Spec("llama", 256, 2, 4, 2, 64, 512, 512, 256, 10_000, 1e-5f, matrices, true, 1);
                case "qwen2.5-0.5b" ->
                    new Spec("qwen2", 896, 24, 14, 2, 64, 4864, 151_936, 32_768, 1_000_000, 1e-6f, matrices, true, 1);
                case "llama-3.2-1b" ->
                    new Spec("llama", 2048, 16, 32, 8, 64, 8192, 128_256, 131_072, 500_000, 1e-5f, matrices, true, 1);
                default ->
                    throw VtException.notFound(
                            "synthetic model: preset: expected one of " + presets() + ", given '" + name + "'");
            };
        }

        /** The names that {@link #preset} knows. */
        public static List<String> presets() {
            return List.of("tiny", "qwen2.5-0.5b", "llama-3.2-1b");
        }

        /** The same sizes in another architecture. */
        public Spec withArchitecture(String name) {
            return copy(name, tied, seed);
        }

        /** The same sizes with other weights. */
        public Spec withSeed(long newSeed) {
            return copy(architecture, tied, newSeed);
        }

        /** The same sizes with an output matrix of its own. */
        public Spec untied() {
            return copy(architecture, false, seed);
        }

        private Spec copy(String newArchitecture, boolean newTied, long newSeed) {
            return new Spec(
                    newArchitecture,
                    width,
                    layers,
                    heads,
                    kvHeads,
                    headSize,
                    feedForward,
                    vocabulary,
                    context,
                    ropeBase,
                    epsilon,
                    matrices,
                    newTied,
                    newSeed);
        }

        private static void require(boolean ok, String what, String expected, Object given) {
            if (!ok) {
                throw VtException.invalidArgument(
                        "synthetic model: " + what + ": expected " + expected + ", given " + given);
            }
        }
    }

    private SyntheticModel(Spec spec) {
        this.spec = spec;
    }

    /** Writes a model; the file appears when it is whole. */
    public static void write(Path file, Spec spec) throws IOException {
        SyntheticModel model = new SyntheticModel(spec);
        model.metadata();
        model.vocabulary();
        model.tensors();
        model.writer.write(file);
    }

    private void metadata() {
        String prefix = spec.architecture() + ".";
        writer.string("general.architecture", spec.architecture())
                .string("general.name", "synthetic, seed " + spec.seed())
                .uint32(prefix + "context_length", spec.context())
                .uint32(prefix + "embedding_length", spec.width())
                .uint32(prefix + "block_count", spec.layers())
                .uint32(prefix + "feed_forward_length", spec.feedForward())
                .uint32(prefix + "attention.head_count", spec.heads())
                .uint32(prefix + "attention.head_count_kv", spec.kvHeads())
                .uint32(prefix + "attention.key_length", spec.headSize())
                .uint32(prefix + "attention.value_length", spec.headSize())
                .float32(prefix + "attention.layer_norm_rms_epsilon", spec.epsilon())
                .uint32(prefix + "rope.dimension_count", spec.headSize())
                .float32(prefix + "rope.freq_base", spec.ropeBase())
                .uint32(prefix + "vocab_size", spec.vocabulary());
    }

    /** One token a byte, spelled as GPT-2 does, the end of text, and names without a use up to the wanted size. */
    private void vocabulary() {
        String[] tokens = new String[spec.vocabulary()];
        int[] types = new int[tokens.length];
        Arrays.fill(types, UNUSED);
        for (int b = 0; b < 256; b++) {
            tokens[b] = Tokenizers.byteToken(b);
            types[b] = NORMAL;
        }
        tokens[256] = "<|endoftext|>";
        types[256] = CONTROL;
        for (int id = LEAST_VOCABULARY; id < tokens.length; id++) {
            tokens[id] = "<" + id + ">";
        }
        writer.string("tokenizer.ggml.model", "gpt2")
                .string("tokenizer.ggml.pre", "gpt-2")
                .strings("tokenizer.ggml.tokens", tokens)
                .int32s("tokenizer.ggml.token_type", types)
                .strings("tokenizer.ggml.merges")
                .uint32("tokenizer.ggml.bos_token_id", 256)
                .uint32("tokenizer.ggml.eos_token_id", 256)
                .bool("tokenizer.ggml.add_bos_token", false);
    }

    private void tensors() {
        int width = spec.width();
        int queries = spec.heads() * spec.headSize();
        int keys = spec.kvHeads() * spec.headSize();
        matrix("token_embd.weight", spec.vocabulary(), width);
        for (int i = 0; i < spec.layers(); i++) {
            String layer = "blk." + i + ".";
            vector(layer + "attn_norm.weight", width, 1);
            matrix(layer + "attn_q.weight", queries, width);
            matrix(layer + "attn_k.weight", keys, width);
            matrix(layer + "attn_v.weight", keys, width);
            if (spec.architecture().equals("qwen2")) {
                vector(layer + "attn_q.bias", queries, 0);
                vector(layer + "attn_k.bias", keys, 0);
                vector(layer + "attn_v.bias", keys, 0);
            }
            if (spec.architecture().equals("qwen3")) {
                vector(layer + "attn_q_norm.weight", spec.headSize(), 1);
                vector(layer + "attn_k_norm.weight", spec.headSize(), 1);
            }
            matrix(layer + "attn_output.weight", width, queries);
            vector(layer + "ffn_norm.weight", width, 1);
            matrix(layer + "ffn_gate.weight", spec.feedForward(), width);
            matrix(layer + "ffn_up.weight", spec.feedForward(), width);
            matrix(layer + "ffn_down.weight", width, spec.feedForward());
        }
        vector("output_norm.weight", width, 1);
        if (!spec.tied()) {
            matrix("output.weight", spec.vocabulary(), width);
        }
    }

    /** A matrix that keeps the size of what it is multiplied with. */
    private void matrix(String name, long rows, long columns) {
        DType dtype = columns % spec.matrices().blockElements() == 0 ? spec.matrices() : DType.Q8_0;
        double deviation = 1 / Math.sqrt(columns);
        writer.tensor(
                name,
                dtype,
                new long[] {rows, columns},
                out -> weights(name).write(out, dtype, Math.multiplyExact(rows, columns), 0, deviation));
    }

    private void vector(String name, long size, double mean) {
        writer.tensor(name, DType.F32, new long[] {size}, out -> weights(name).write(out, DType.F32, size, mean, 0.05));
    }

    /** Weights of a tensor depend on its name and the seed alone, not on what else the file has. */
    private RandomWeights weights(String name) {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return new RandomWeights(spec.seed() * 0x1_0000_0001L ^ crc.getValue());
    }
}
