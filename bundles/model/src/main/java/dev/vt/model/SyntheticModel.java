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
import java.util.TreeSet;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Writes models of given sizes with random weights, for performance runs and tests: all the work of a real model, none
 * of its sense. The same specification gives the same bytes. The vocabulary has a token for each byte, so any text goes
 * in. Stateless; any thread may use it.
 */
public final class SyntheticModel {
    private static final Set<String> ARCHITECTURES = Set.of("llama", "qwen2", "qwen2moe", "qwen3", "qwen3moe");
    private static final int NORMAL = 1;
    private static final int CONTROL = 3;
    private static final int UNUSED = 5;
    /** A token for each byte and the one that ends a text. */
    private static final int LEAST_VOCABULARY = 257;

    private final Spec spec;
    private final GgufWriter writer = new GgufWriter();

    /**
     * The experts of each layer.
     *
     * @param count how many there are
     * @param used how many a token goes to
     * @param width inner size of an expert
     * @param sharedWidth inner size of the one that all tokens go to as well; 0 for none
     */
    public record Experts(int count, int used, int width, int sharedWidth) {
        public Experts {
            Spec.require(count >= 1, "experts", "1 or more", count);
            Spec.require(used >= 1 && used <= count, "used experts", "1 to " + count, used);
            Spec.require(width >= 32 && width % 32 == 0, "size of an expert", "a multiple of 32", width);
            Spec.require(
                    sharedWidth >= 0 && sharedWidth % 32 == 0,
                    "size of the shared expert",
                    "0 or a multiple of 32",
                    sharedWidth);
        }
    }

    /**
     * What to make.
     *
     * @param architecture llama, qwen2, qwen2moe, qwen3 or qwen3moe
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
     * @param experts what the feed-forward parts are mixtures of; null for dense ones
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
            long seed,
            @Nullable Experts experts) {
        public Spec {
            require(
                    ARCHITECTURES.contains(architecture),
                    "architecture",
                    "one of " + new TreeSet<>(ARCHITECTURES),
                    architecture);
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

        /** A dense model. */
        public Spec(
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
            this(
                    architecture,
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
                    tied,
                    seed,
                    null);
        }

        /** The sizes of a public model, or tiny ones; see {@link #presets()}. */
        public static Spec preset(String name, DType matrices) {
            return switch (name) {
                case "tiny" -> new Spec("llama", 256, 2, 4, 2, 64, 512, 512, 256, 10_000, 1e-5f, matrices, true, 1);
                case "qwen2.5-0.5b" ->
                    new Spec("qwen2", 896, 24, 14, 2, 64, 4864, 151_936, 32_768, 1_000_000, 1e-6f, matrices, true, 1);
                case "llama-3.2-1b" ->
                    new Spec("llama", 2048, 16, 32, 8, 64, 8192, 128_256, 131_072, 500_000, 1e-5f, matrices, true, 1);
                case "tiny-moe" ->
                    preset("tiny", matrices).withArchitecture("qwen2moe").withExperts(new Experts(8, 2, 128, 256));
                case "qwen3-30b-a3b" ->
                    new Spec("qwen3moe", 2048, 48, 32, 4, 128, 6144, 151_936, 40_960, 1e6f, 1e-6f, matrices, false, 1)
                            .withExperts(new Experts(128, 8, 768, 0));
                default ->
                    throw VtException.notFound(
                            "synthetic model: preset: expected one of " + presets() + ", given '" + name + "'");
            };
        }

        /** The names that {@link #preset} knows. */
        public static List<String> presets() {
            return List.of("tiny", "tiny-moe", "qwen2.5-0.5b", "llama-3.2-1b", "qwen3-30b-a3b");
        }

        /** The same sizes in another architecture. */
        public Spec withArchitecture(String name) {
            return copy(name, tied, seed, experts);
        }

        /** The same sizes with other weights. */
        public Spec withSeed(long newSeed) {
            return copy(architecture, tied, newSeed, experts);
        }

        /** The same sizes with an output matrix of its own. */
        public Spec untied() {
            return copy(architecture, false, seed, experts);
        }

        /** The same sizes with mixtures of experts in the place of dense feed-forward parts. */
        public Spec withExperts(Experts mixture) {
            return copy(architecture, tied, seed, mixture);
        }

        private Spec copy(String newArchitecture, boolean newTied, long newSeed, @Nullable Experts newExperts) {
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
                    newSeed,
                    newExperts);
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
        if (spec.experts() != null) {
            writer.uint32(prefix + "expert_count", spec.experts().count())
                    .uint32(prefix + "expert_used_count", spec.experts().used())
                    .uint32(
                            prefix + "expert_feed_forward_length",
                            spec.experts().width());
        }
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
            if (spec.architecture().startsWith("qwen2")) {
                vector(layer + "attn_q.bias", queries, 0);
                vector(layer + "attn_k.bias", keys, 0);
                vector(layer + "attn_v.bias", keys, 0);
            }
            if (spec.architecture().startsWith("qwen3")) {
                vector(layer + "attn_q_norm.weight", spec.headSize(), 1);
                vector(layer + "attn_k_norm.weight", spec.headSize(), 1);
            }
            matrix(layer + "attn_output.weight", width, queries);
            vector(layer + "ffn_norm.weight", width, 1);
            if (spec.experts() == null) {
                feedForward(layer, "", spec.feedForward());
            } else {
                experts(layer, spec.experts());
            }
        }
        vector("output_norm.weight", width, 1);
        if (!spec.tied()) {
            matrix("output.weight", spec.vocabulary(), width);
        }
    }

    private void feedForward(String layer, String suffix, int inner) {
        matrix(layer + "ffn_gate" + suffix + ".weight", inner, spec.width());
        matrix(layer + "ffn_up" + suffix + ".weight", inner, spec.width());
        matrix(layer + "ffn_down" + suffix + ".weight", spec.width(), inner);
    }

    /** The router is f32 in files of every format. */
    private void experts(String layer, Experts experts) {
        int width = spec.width();
        tensor(layer + "ffn_gate_inp.weight", DType.F32, 1 / Math.sqrt(width), experts.count(), width);
        matrix(layer + "ffn_gate_exps.weight", experts.count(), experts.width(), width);
        matrix(layer + "ffn_up_exps.weight", experts.count(), experts.width(), width);
        matrix(layer + "ffn_down_exps.weight", experts.count(), width, experts.width());
        if (experts.sharedWidth() > 0) {
            feedForward(layer, "_shexp", experts.sharedWidth());
            vector(layer + "ffn_gate_inp_shexp.weight", width, 0);
        }
    }

    /** A matrix, or several of one shape, that keep the size of what they are multiplied with. */
    private void matrix(String name, long... shape) {
        long columns = shape[shape.length - 1];
        DType dtype = columns % spec.matrices().blockElements() == 0 ? spec.matrices() : DType.Q8_0;
        tensor(name, dtype, 1 / Math.sqrt(columns), shape);
    }

    private void tensor(String name, DType dtype, double deviation, long... shape) {
        long elements = Arrays.stream(shape).reduce(1, Math::multiplyExact);
        writer.tensor(name, dtype, shape, out -> weights(name).write(out, dtype, elements, 0, deviation));
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
