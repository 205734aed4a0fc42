package dev.vt.model;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.model.gguf.GgufFile;
import dev.vt.model.gguf.GgufTensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The weights of a model on one device. Where the device can read host memory they are the mapped bytes of the file,
 * without a copy; else they are uploaded. Whoever loads them closes them, before the file. Immutable; any thread may
 * use them.
 */
final class Weights implements AutoCloseable {
    private static final ValueLayout.OfFloat LITTLE_FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final List<Memory> memory;
    private final Tensor embedding;
    private final List<LayerWeights> layers;
    private final Tensor outputNorm;
    private final Projection output;
    private final @Nullable Tensor ropeFactors;
    private final DType activations;

    private Weights(Loader loader, @Nullable DType wanted) {
        ModelConfig c = loader.config;
        memory = loader.memory;
        embedding = loader.matrix("token_embd.weight", c.vocabulary(), c.width());
        layers = loader.layers();
        outputNorm = loader.vector("output_norm.weight", c.width());
        output = new Projection(
                c.tiedEmbeddings() ? embedding : loader.matrix("output.weight", c.vocabulary(), c.width()), null);
        ropeFactors = loader.has("rope_freqs.weight")
                ? loader.vector("rope_freqs.weight", c.rope().rotaryDim() / 2)
                : null;
        loader.refuseUnused();
        activations = wanted != null ? wanted : loader.activations();
    }

    /** Checks every tensor of the file against the description and brings it to the device; uploads are queued. */
    static Weights load(GgufFile file, ModelConfig config, Backend backend, Queue queue) {
        return load(file, config, backend, queue, null);
    }

    /** The same for activations of a dtype; null takes what suits device and matrices. */
    static Weights load(GgufFile file, ModelConfig config, Backend backend, Queue queue, @Nullable DType activations) {
        Loader loader = new Loader(file, config, backend, queue);
        try {
            return new Weights(loader, activations);
        } catch (RuntimeException e) {
            loader.memory.forEach(Memory::close);
            throw e;
        }
    }

    /** [V,H]. */
    Tensor embedding() {
        return embedding;
    }

    LayerWeights layer(int i) {
        return layers.get(i);
    }

    /** [H]. */
    Tensor outputNorm() {
        return outputNorm;
    }

    /** [V,H]. */
    Projection output() {
        return output;
    }

    /** What rotary frequencies are divided by, [rotaryDim / 2], or null. */
    @Nullable
    Tensor ropeFactors() {
        return ropeFactors;
    }

    /** What lies between the products: f32 or bf16. */
    DType activations() {
        return activations;
    }

    @Override
    public void close() {
        memory.forEach(Memory::close);
    }

    /** Loads the tensors of one file and remembers which it has seen. */
    private static final class Loader {
        final List<Memory> memory = new ArrayList<>();
        final ModelConfig config;
        private final GgufFile file;
        private final Backend backend;
        private final Queue queue;
        private final Set<String> used = new HashSet<>();
        private boolean onlyBf16 = true;

        Loader(GgufFile file, ModelConfig config, Backend backend, Queue queue) {
            this.file = file;
            this.config = config;
            this.backend = backend;
            this.queue = queue;
        }

        List<LayerWeights> layers() {
            List<LayerWeights> out = new ArrayList<>();
            for (int i = 0; i < config.layers(); i++) {
                out.add(layer(i));
            }
            return List.copyOf(out);
        }

        private LayerWeights layer(int index) {
            String prefix = "blk." + index + ".";
            int width = config.width();
            LinearAttention linear = config.linear();
            return new LayerWeights(
                    vector(prefix + "attn_norm.weight", width),
                    linear == null || !linear.at(index) ? attention(prefix) : delta(prefix, linear),
                    vector(prefix + (linear == null ? "ffn_norm.weight" : "post_attention_norm.weight"), width),
                    config.mixture() == null ? dense(prefix, "", config.ffn()) : experts(prefix, config.mixture()));
        }

        private LayerWeights.Dense dense(String prefix, String suffix, int inner) {
            return new LayerWeights.Dense(
                    projection(prefix + "ffn_gate" + suffix, inner, config.width(), false),
                    projection(prefix + "ffn_up" + suffix, inner, config.width(), false),
                    projection(prefix + "ffn_down" + suffix, config.width(), inner, false));
        }

        private LayerWeights.Experts experts(String prefix, Mixture mixture) {
            int experts = mixture.experts();
            int width = config.width();
            int inner = mixture.width();
            Tensor gates = matrices(prefix + "ffn_gate_exps.weight", experts, inner, width);
            Tensor ups = matrices(prefix + "ffn_up_exps.weight", experts, inner, width);
            Tensor downs = matrices(prefix + "ffn_down_exps.weight", experts, width, inner);
            List<LayerWeights.Dense> each = new ArrayList<>();
            for (int e = 0; e < experts; e++) {
                each.add(new LayerWeights.Dense(one(gates, e), one(ups, e), one(downs, e)));
            }
            return new LayerWeights.Experts(
                    projection(prefix + "ffn_gate_inp", experts, width, false),
                    mixture.bias() ? vector(prefix + "exp_probs_b.bias", experts) : null,
                    List.copyOf(each),
                    mixture.shared() ? dense(prefix, "_shexp", mixture.sharedWidth()) : null,
                    mixture.sharedGate() ? row(prefix + "ffn_gate_inp_shexp.weight", width) : null);
        }

        /** A vector as a matrix of one row. */
        private Projection row(String name, int elements) {
            return new Projection(vector(name, elements).reshape(1, elements), null);
        }

        private static Projection one(Tensor matrices, int index) {
            Tensor matrix = matrices.rows(index, index + 1L);
            return new Projection(matrix.reshape(matrix.dim(1), matrix.dim(2)), null);
        }

        private LayerWeights.Attention attention(String prefix) {
            int width = config.width();
            int queryWidth = config.heads() * config.headSize();
            int keyWidth = config.kvHeads() * config.headSize();
            return new LayerWeights.Attention(
                    projection(
                            prefix + "attn_q",
                            config.gatedAttention() ? 2 * queryWidth : queryWidth,
                            width,
                            config.qkvBias()),
                    projection(prefix + "attn_k", keyWidth, width, config.qkvBias()),
                    projection(prefix + "attn_v", keyWidth, width, config.qkvBias()),
                    config.qkNorm() ? vector(prefix + "attn_q_norm.weight", config.headSize()) : null,
                    config.qkNorm() ? vector(prefix + "attn_k_norm.weight", config.headSize()) : null,
                    projection(prefix + "attn_output", width, queryWidth, false));
        }

        private LayerWeights.Delta delta(String prefix, LinearAttention linear) {
            int width = config.width();
            return new LayerWeights.Delta(
                    projection(prefix + "attn_qkv", linear.channels(), width, false),
                    projection(prefix + "attn_gate", linear.valueWidth(), width, false),
                    projection(prefix + "ssm_ba", 2 * linear.valueHeads(), width, false),
                    floats(prefix + "ssm_conv1d.weight", linear.channels(), linear.taps()),
                    logarithms(prefix + "ssm_a", linear.valueHeads()),
                    vector(prefix + "ssm_dt.bias", linear.valueHeads()),
                    vector(prefix + "ssm_norm.weight", linear.valueSize()),
                    projection(prefix + "ssm_out", width, linear.valueWidth(), false));
        }

        /** Files have -exp(x) where the op wants x. */
        private Tensor logarithms(String name, int elements) {
            GgufTensor tensor = vectorOf(name, elements);
            used.add(name);
            float[] values = new float[elements];
            for (int i = 0; i < elements; i++) {
                float a = tensor.data().getAtIndex(LITTLE_FLOAT, i);
                if (!(a <= 0)) {
                    throw mismatch(name, "numbers up to 0", "" + a);
                }
                values[i] = (float) Math.log(-a);
            }
            Memory block = backend.allocate(Tensor.bytes(DType.F32, elements));
            memory.add(block);
            backend.upload(queue, block, 0, MemorySegment.ofArray(values));
            return Tensor.of(block, DType.F32, elements);
        }

        boolean has(String name) {
            return file.findTensor(name).isPresent();
        }

        private Projection projection(String name, int out, int in, boolean bias) {
            return new Projection(matrix(name + ".weight", out, in), bias ? vector(name + ".bias", out) : null);
        }

        Tensor matrix(String name, long rows, long columns) {
            return factor(shaped(name, rows, columns));
        }

        private Tensor matrices(String name, long count, long rows, long columns) {
            return factor(shaped(name, count, rows, columns));
        }

        /** Factors of matrix products, in any encoding. */
        private Tensor factor(GgufTensor tensor) {
            if (!tensor.dtype().isFloat() && !tensor.dtype().isBlock()) {
                throw mismatch(
                        tensor.name(), "a float or block type", tensor.dtype().toString());
            }
            onlyBf16 &= tensor.dtype() == DType.BF16;
            return place(tensor);
        }

        /** A matrix that is no factor of a matrix product, so it can't be encoded. */
        private Tensor floats(String name, long rows, long columns) {
            GgufTensor tensor = shaped(name, rows, columns);
            if (!tensor.dtype().isFloat()) {
                throw mismatch(name, "a float type", tensor.dtype().toString());
            }
            return place(tensor);
        }

        Tensor vector(String name, long elements) {
            return place(vectorOf(name, elements));
        }

        private GgufTensor vectorOf(String name, long elements) {
            GgufTensor tensor = shaped(name, elements);
            if (tensor.dtype() != DType.F32) {
                throw mismatch(name, "type f32", tensor.dtype().toString());
            }
            return tensor;
        }

        private GgufTensor shaped(String name, long... shape) {
            GgufTensor tensor = file.tensor(name);
            if (!Arrays.equals(tensor.shape(), shape)) {
                throw mismatch(
                        name,
                        "shape " + Arrays.toString(shape) + " as the file's keys say",
                        Arrays.toString(tensor.shape()));
            }
            return tensor;
        }

        /**
         * Matrix units of a device want both factors in one dtype, and the cache is half as large. On a CPU the products are in f32
         * anyway, and so they are in the blocks that are not for dense decoders.
         */
        DType activations() {
            boolean dense = config.linear() == null && config.mixture() == null && !config.gatedAttention();
            return dense && onlyBf16 && !backend.hostAddressable() ? DType.BF16 : DType.F32;
        }

        private Tensor place(GgufTensor tensor) {
            used.add(tensor.name());
            Optional<Memory> shared = backend.importHost(tensor.data());
            Memory block = shared.orElseGet(() -> backend.allocate(tensor.data().byteSize()));
            memory.add(block);
            if (shared.isEmpty()) {
                backend.upload(queue, block, 0, tensor.data());
            }
            return Tensor.of(block, tensor.dtype(), tensor.shape());
        }

        /**
         * A tensor that nobody asked for changes what the model computes, so it is better to stop than to leave it out.
         */
        void refuseUnused() {
            for (GgufTensor tensor : file.tensors()) {
                if (!used.contains(tensor.name())) {
                    throw VtException.unsupported(file.path() + ": tensor '" + tensor.name()
                            + (config.mixture() == null
                                    ? "' is not one that a dense "
                                    : "' is not one that a mixture of experts of a ")
                            + config.architecture() + " decoder of this runtime uses");
                }
            }
        }

        private VtException mismatch(String name, String expected, String given) {
            return new VtException(
                    ErrorCode.FORMAT,
                    file.path() + ": tensor '" + name + "': expected " + expected + ", given " + given);
        }
    }
}
