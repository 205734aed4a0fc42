package dev.vt.model;

import dev.vt.api.VtException;
import dev.vt.model.gguf.GgufFile;
import dev.vt.model.gguf.GgufMetadata;
import dev.vt.model.gguf.GgufTensor;
import dev.vt.ops.kernel.RopeFrequencies;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that describe a decoder of the architectures llama, qwen2, qwen2moe, qwen3, qwen3moe and qwen3next, as a GGUF file has
 * them.
 * Immutable.
 *
 * @param architecture the name in the file
 * @param vocabulary number of token ids
 * @param width elements of the vector that runs through the layers
 * @param layers number of layers
 * @param heads query heads of a layer
 * @param kvHeads key/value heads of a layer; divides {@code heads}
 * @param headSize elements of a head
 * @param ffn inner width of the feed-forward part that all tokens go through: all of it, or the shared expert of a mixture; 0 where
 *     a mixture has none
 * @param context tokens that a sequence may have
 * @param rmsEps what RMS norms add to the mean square
 * @param rope how the angles of rotary embeddings are made
 * @param interleavedRope true where elements (2i, 2i + 1) are rotated together, as in llama files, whose query and key
 *     weights are permuted for it; false for (i, i + half), as in qwen files
 * @param qkvBias true where query, key and value have a bias
 * @param qkNorm true where each head of query and key is normed before it is rotated
 * @param tiedEmbeddings true where the output matrix is the embedding table
 * @param linear the layers of linear attention of qwen3next, whose other layers gate what attention gives; else null
 * @param mixture the experts of a model whose feed-forward parts are mixtures, else null
 */
public record ModelConfig(
        String architecture,
        int vocabulary,
        int width,
        int layers,
        int heads,
        int kvHeads,
        int headSize,
        int ffn,
        int context,
        float rmsEps,
        RopeFrequencies rope,
        boolean interleavedRope,
        boolean qkvBias,
        boolean qkNorm,
        boolean tiedEmbeddings,
        @Nullable LinearAttention linear,
        @Nullable Mixture mixture) {
    /** The architectures that can be run. */
    public static final List<String> ARCHITECTURES =
            List.of("llama", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "qwen3next");

    private static final Set<String> HEAD_NORMS = Set.of("qwen3", "qwen3moe", "qwen3next");

    /** Reads the description and refuses what the decoder would compute wrongly. */
    public static ModelConfig read(GgufFile file) {
        return new Reader(file).read();
    }

    /** True for a layer of full attention, which keeps keys and values. */
    boolean fullAttention(int layer) {
        return linear == null || !linear.at(layer);
    }

    /** True where a gate is made beside each query, and what attention gives is multiplied with its sigmoid. */
    boolean gatedAttention() {
        return linear != null;
    }

    /** Reads the keys of one file. */
    private static final class Reader {
        private final GgufFile file;
        private final GgufMetadata keys;
        private final String architecture;

        Reader(GgufFile file) {
            this.file = file;
            this.keys = file.metadata();
            this.architecture = keys.string("general.architecture");
            if (!ARCHITECTURES.contains(architecture)) {
                throw VtException.unsupported(file.path() + ": architecture '" + architecture
                        + "' is not supported; supported are "
                        + String.join(", ", ARCHITECTURES));
            }
        }

        ModelConfig read() {
            int width = positive("embedding_length");
            int heads = positive("attention.head_count");
            int kvHeads = has("attention.head_count_kv") ? positive("attention.head_count_kv") : heads;
            if (heads % kvHeads != 0) {
                throw keys.error(key("attention.head_count_kv"), "a divisor of the " + heads + " heads", "" + kvHeads);
            }
            int headSize = headSize(width, heads);
            refuseWindow();
            Mixture mixture = new MixtureReader(file, architecture).read();
            return new ModelConfig(
                    architecture,
                    vocabulary(),
                    width,
                    positive("block_count"),
                    heads,
                    kvHeads,
                    headSize,
                    mixture == null ? positive("feed_forward_length") : mixture.sharedWidth(),
                    positive("context_length"),
                    rmsEps(),
                    rope(headSize),
                    architecture.equals("llama"),
                    architecture.equals("qwen2")
                            || file.findTensor("blk.0.attn_q.bias").isPresent(),
                    HEAD_NORMS.contains(architecture),
                    file.findTensor("output.weight").isEmpty(),
                    architecture.equals("qwen3next") ? linear() : null,
                    mixture);
        }

        private int vocabulary() {
            GgufTensor table = file.tensor("token_embd.weight");
            long rows = table.dim(0);
            if (rows > Integer.MAX_VALUE) {
                throw VtException.unsupported(file.path() + ": tensor 'token_embd.weight': expected at most "
                        + Integer.MAX_VALUE
                        + " rows, given " + rows);
            }
            return (int) rows;
        }

        private int headSize(int width, int heads) {
            if (has("attention.key_length")) {
                int size = positive("attention.key_length");
                int valueSize = has("attention.value_length") ? positive("attention.value_length") : size;
                if (valueSize != size) {
                    throw keys.error(key("attention.value_length"), "the key length " + size, "" + valueSize);
                }
                return size;
            }
            if (width % heads != 0) {
                throw keys.error(key("attention.head_count"), "a divisor of the width " + width, "" + heads);
            }
            return width / heads;
        }

        private float rmsEps() {
            String key = key("attention.layer_norm_rms_epsilon");
            float eps = (float) keys.doubleValue(key);
            if (!(eps > 0) || !Float.isFinite(eps)) {
                throw keys.error(key, "a number above 0", "" + eps);
            }
            return eps;
        }

        private RopeFrequencies rope(int headSize) {
            int rotary = has("rope.dimension_count") ? positive("rope.dimension_count") : headSize;
            if (rotary > headSize || rotary % 2 != 0) {
                throw keys.error(
                        key("rope.dimension_count"), "an even number up to the head size " + headSize, "" + rotary);
            }
            double base = has("rope.freq_base") ? keys.doubleValue(key("rope.freq_base")) : 10_000;
            if (!(base > 0) || !Double.isFinite(base)) {
                throw keys.error(key("rope.freq_base"), "a number above 0", "" + base);
            }
            return new RopeFrequencies(base, rotary, linearScale(), null);
        }

        /** Files without a type mean linear scaling, and a factor of 0 means none. */
        private double linearScale() {
            String type = keys.optionalString(key("rope.scaling.type")).orElse("linear");
            if (!type.equals("linear") && !type.equals("none")) {
                throw VtException.unsupported(file.path() + ": rope scaling '" + type
                        + "' is not supported; supported are none, linear,"
                        + " and factors in the tensor rope_freqs.weight");
            }
            String key = key(has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear");
            double factor = type.equals("none") || !keys.has(key) ? 0 : keys.doubleValue(key);
            if (!(factor >= 0) || !Double.isFinite(factor)) {
                throw keys.error(key, "a number above 0", "" + factor);
            }
            return factor == 0 ? 1 : factor;
        }

        /** Files that do not say which layers have full attention mean every fourth. */
        private LinearAttention linear() {
            int interval = has("full_attention_interval") ? positive("full_attention_interval") : 4;
            int keyHeads = positive("ssm.group_count");
            int valueHeads = positive("ssm.time_step_rank");
            if (valueHeads % keyHeads != 0) {
                throw keys.error(
                        key("ssm.time_step_rank"), "a multiple of the " + keyHeads + " key heads", "" + valueHeads);
            }
            int inner = positive("ssm.inner_size");
            if (inner % valueHeads != 0) {
                throw keys.error(key("ssm.inner_size"), "a multiple of the " + valueHeads + " value heads", "" + inner);
            }
            return new LinearAttention(
                    interval,
                    positive("ssm.conv_kernel"),
                    keyHeads,
                    positive("ssm.state_size"),
                    valueHeads,
                    inner / valueHeads);
        }

        private void refuseWindow() {
            String key = key("attention.sliding_window");
            if (keys.has(key) && keys.longValue(key) > 0) {
                throw VtException.unsupported(file.path() + ": key '" + key
                        + "': expected none or 0, since attention windows are not"
                        + " supported for " + architecture + ", given " + keys.longValue(key));
            }
        }

        private int positive(String name) {
            int value = keys.intValue(key(name));
            if (value < 1) {
                throw keys.error(key(name), "1 or more", "" + value);
            }
            return value;
        }

        private boolean has(String name) {
            return keys.has(key(name));
        }

        private String key(String name) {
            return architecture + "." + name;
        }
    }
}
