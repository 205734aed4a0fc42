package dev.vt.model;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.model.gguf.GgufFile;
import dev.vt.model.gguf.GgufTensor;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loads the tensors of one file and remembers which it has seen. Matrices that are multiplied with the same rows lie one behind the
 * other where they are copied anyway, so that one product serves for all. Made for one model, used by one thread.
 */
final class WeightLoader {
    private static final ValueLayout.OfFloat LITTLE_FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    final ModelConfig config;
    final WeightPlacer place;
    private final GgufFile file;
    private final Set<String> used = new HashSet<>();
    private boolean onlyBf16 = true;
    /** Bytes of all experts. */
    long expertBytes;

    WeightLoader(GgufFile file, ModelConfig config, Backend backend, Queue queue) {
        this.file = file;
        this.config = config;
        this.place = new WeightPlacer(backend, queue);
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
        Stack inputs = new Stack(config.width(), false)
                .with(prefix + "ffn_gate" + suffix, inner)
                .with(prefix + "ffn_up" + suffix, inner);
        List<Projection> parts = stacked(inputs);
        return new LayerWeights.Dense(
                parts.get(0),
                parts.get(1),
                inputs.whole,
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
            each.add(new LayerWeights.Dense(one(gates, e), one(ups, e), null, one(downs, e)));
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
        Stack inputs = new Stack(width, config.qkvBias())
                .with(prefix + "attn_q", config.gatedAttention() ? 2 * queryWidth : queryWidth)
                .with(prefix + "attn_k", keyWidth)
                .with(prefix + "attn_v", keyWidth);
        List<Projection> parts = stacked(inputs);
        return new LayerWeights.Attention(
                parts.get(0),
                parts.get(1),
                parts.get(2),
                config.gatedAttention() ? null : inputs.whole,
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
        return place.floats(values);
    }

    /** Linear layers that read the same rows. */
    private static final class Stack {
        final int in;
        final boolean bias;
        final List<String> names = new ArrayList<>();
        final List<Integer> rows = new ArrayList<>();
        /** All of them as one, where they lie one behind the other. */
        @Nullable
        Projection whole;

        Stack(int in, boolean bias) {
            this.in = in;
            this.bias = bias;
        }

        Stack with(String name, int out) {
            names.add(name);
            rows.add(out);
            return this;
        }
    }

    /** Loads them, behind each other if they are copied and of one type; gives each by itself. */
    private List<Projection> stacked(Stack stack) {
        List<GgufTensor> matrices = new ArrayList<>();
        List<GgufTensor> biases = new ArrayList<>();
        for (int i = 0; i < stack.names.size(); i++) {
            used.add(stack.names.get(i) + ".weight");
            matrices.add(factor(shaped(stack.names.get(i) + ".weight", stack.rows.get(i), stack.in)));
            if (stack.bias) {
                used.add(stack.names.get(i) + ".bias");
                biases.add(vectorOf(stack.names.get(i) + ".bias", stack.rows.get(i)));
            }
        }
        DType dtype = matrices.getFirst().dtype();
        boolean together = place.copies() && matrices.stream().allMatch(m -> m.dtype() == dtype);
        List<Tensor> weights = together ? place.behindEachOther(matrices) : place.apart(matrices);
        List<Tensor> offsets = together && stack.bias ? place.behindEachOther(biases) : place.apart(biases);
        if (together) {
            stack.whole = new Projection(weights.removeLast(), stack.bias ? offsets.removeLast() : null);
        }
        List<Projection> out = new ArrayList<>();
        for (int i = 0; i < matrices.size(); i++) {
            out.add(new Projection(weights.get(i), stack.bias ? offsets.get(i) : null));
        }
        return out;
    }

    boolean has(String name) {
        return file.findTensor(name).isPresent();
    }

    private Projection projection(String name, int out, int in, boolean bias) {
        return new Projection(matrix(name + ".weight", out, in), bias ? vector(name + ".bias", out) : null);
    }

    Tensor matrix(String name, long rows, long columns) {
        return place(factor(shaped(name, rows, columns)));
    }

    private Tensor matrices(String name, long count, long rows, long columns) {
        Tensor all = place(factor(shaped(name, count, rows, columns)));
        expertBytes += Tensor.bytes(all.dtype(), all.shape());
        return all;
    }

    /** Factors of matrix products, in any encoding. */
    private GgufTensor factor(GgufTensor tensor) {
        if (!tensor.dtype().isFloat() && !tensor.dtype().isBlock()) {
            throw mismatch(
                    tensor.name(), "a float or block type", tensor.dtype().toString());
        }
        onlyBf16 &= tensor.dtype() == DType.BF16;
        return tensor;
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
        return dense && onlyBf16 && place.copies() ? DType.BF16 : DType.F32;
    }

    private Tensor place(GgufTensor tensor) {
        used.add(tensor.name());
        return place.one(tensor);
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
                ErrorCode.FORMAT, file.path() + ": tensor '" + name + "': expected " + expected + ", given " + given);
    }
}
