package dev.vt.ops;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.DropinProbe;
import dev.vt.ops.kernel.MarlinLayout;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import dev.vt.ops.kernel.RouterParams;
import dev.vt.ops.kernel.ScaleLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way in to every op. A method checks all its arguments, then hands the call to the dispatcher, which finds the kernel.
 * When a method returns, the work is queued, not done: read results after {@link Queue#synchronize()}.
 *
 * <p>What holds for all methods, unless they say otherwise:
 *
 * <ul>
 *   <li>Tensors are on the queue's device (type and index), contiguous and row-major. "Padded rows" means that the stride of
 *       the first dimension is free, as long as rows do not overlap.
 *   <li>Inputs and weights are f32, f16 or bf16, outputs f32 or bf16; the dtypes of one call may differ. Arithmetic is f32 with
 *       one rounding on store.
 *   <li>An output shares no byte with another argument.
 *   <li>Sizes may be zero; a sum over nothing is 0.
 * </ul>
 *
 * <p>A broken contract is a {@link VtException} of code {@code INVALID_ARGUMENT} whose sentence names op, argument, what was
 * expected and what was given; no kernel has seen the call then. A call that nothing can serve is a {@link NoKernelException}.
 * What only the data tells (an id outside a table) fails the queue.
 *
 * <p>Any thread may use an instance over a registry; an instance over an execution context belongs to the context's thread. It
 * holds no state of its own, allocates nothing on a call, and never chooses a kernel.
 */
public final class Ops {
    private final Dispatcher dispatcher;

    /**
     * Makes the entry points of a dispatcher.
     *
     * @param dispatcher a registry, for calls that pin themselves, or an execution context, for calls inside a step
     */
    public Ops(Dispatcher dispatcher) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    }

    /** Where calls go, for the entry points of ops that are not in this class. */
    public Dispatcher dispatcher() {
        return dispatcher;
    }

    // Matrix products

    /**
     * {@code out[M,N] = a[M,K] * b[K,N]}.
     */
    public void matmul(Queue queue, Tensor out, Tensor a, Tensor b) {
        MatmulChecks.matmul(queue, out, a, b);
        dispatcher.call(OpTable.MATMUL, queue, k -> k.run(queue, out, a, b));
    }

    /**
     * {@code out[M,N] = a[M,K] * b[N,K]} transposed: the product with a weight matrix as model files store it. out and a may have
     * padded rows. When b is in a block encoding this is {@link #matmulBtQuant}.
     */
    public void matmulBt(Queue queue, Tensor out, Tensor a, Tensor b) {
        if (MatmulChecks.quantized(b)) {
            matmulBtQuant(queue, out, a, b);
            return;
        }
        MatmulChecks.matmulBt(queue, out, a, b);
        dispatcher.call(OpTable.MATMUL_BT, queue, k -> k.run(queue, out, a, b));
    }

    /**
     * {@code out[M,N] = a[M,K] * b[N,K]} transposed, b in a block encoding of the GGUF format; K is whole blocks. out and a may
     * have padded rows.
     */
    public void matmulBtQuant(Queue queue, Tensor out, Tensor a, Tensor b) {
        MatmulChecks.matmulBtQuant(queue, out, a, b);
        dispatcher.call(OpTable.MATMUL_BT_QUANT, queue, k -> k.run(queue, out, a, b));
    }

    /**
     * {@code out[g] = a[g] * b[g]} for each of G pairs of matrices. Only the last dimension is contiguous: the strides of the first
     * two are free, so heads need not be moved to the front; those of out keep its rows apart. With K = 0 the result is 0.
     *
     * @param out [G,M,N]
     * @param a [G,M,K] f32 or bf16
     * @param b [G,K,N] f32 or bf16
     */
    public void batchedMatmul(Queue queue, Tensor out, Tensor a, Tensor b) {
        MatmulChecks.batched(queue, out, a, b);
        dispatcher.call(OpTable.BATCHED_MATMUL, queue, k -> k.run(queue, out, a, b));
    }

    // Normalisation

    /**
     * {@code out = x / sqrt(mean(x^2) + eps) * weight} over each row, or {@code * (1 + weight)} in the gemma form. With a residual,
     * {@code residual += x} comes first and the sum is normalised. Source: Zhang and Sennrich, Root Mean Square Layer
     * Normalization, 2019.
     *
     * @param out [T,H]
     * @param x [T,H]
     * @param weight [H]
     * @param residual [T,H] f32 or bf16, read and written, or null
     * @param eps above 0
     */
    public void rmsNorm(
            Queue queue, Tensor out, Tensor x, Tensor weight, @Nullable Tensor residual, float eps, boolean gemma) {
        NormChecks.rmsNorm(queue, out, x, weight, residual, eps);
        dispatcher.call(OpTable.RMS_NORM, queue, k -> k.run(queue, out, x, weight, residual, eps, gemma));
    }

    /**
     * {@code out = (x - mean) / sqrt(var + eps) * weight + bias} over the last dimension, with the biased variance. Source: Ba, Kiros
     * and Hinton, Layer Normalization, 2016.
     *
     * @param out of x's shape
     * @param x any rank from 1 on, last dimension D
     * @param weight [D], or null for 1
     * @param bias [D], or null for 0
     * @param eps above 0
     */
    public void layerNorm(
            Queue queue, Tensor out, Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, float eps) {
        NormChecks.layerNorm(queue, out, x, weight, bias, eps);
        dispatcher.call(OpTable.LAYER_NORM, queue, k -> k.run(queue, out, x, weight, bias, eps));
    }

    /**
     * {@code out = x / sqrt(sum(x^2) + eps)} over the last dimension: unlike {@link #rmsNorm} by the sum, not the mean.
     *
     * @param out of x's shape
     * @param x [rows,D] or [T,H,D]
     * @param eps above 0
     */
    public void l2Norm(Queue queue, Tensor out, Tensor x, float eps) {
        NormChecks.l2Norm(queue, out, x, eps);
        dispatcher.call(OpTable.L2_NORM, queue, k -> k.run(queue, out, x, eps));
    }

    /**
     * {@code out = x / sqrt(mean(x^2) + eps) * weight * act(gate)} over the last dimension; act is {@code silu(z) = z / (1 + exp(-z))}, or
     * the sigmoid {@code 1 / (1 + exp(-z))}. Source: Zhang and Sennrich, 2019; Dao and Gu, Transformers are SSMs, 2024, for the gate.
     *
     * @param out of x's shape
     * @param x [rows,D] or [T,H,D]
     * @param gate of x's shape; its rows may be padded
     * @param weight [D]
     * @param eps above 0
     * @param sigmoid false for silu
     */
    public void rmsNormGated(
            Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps, boolean sigmoid) {
        NormChecks.rmsNormGated(queue, out, x, gate, weight, eps);
        dispatcher.call(OpTable.RMS_NORM_GATED, queue, k -> k.run(queue, out, x, gate, weight, eps, sigmoid));
    }

    // Element by element

    /**
     * {@code out[T,D] = silu(x[:, :D]) * x[:, D:]} of x[T,2D], where {@code silu(x) = x / (1 + exp(-x))}. Source: Shazeer, GLU Variants
     * Improve Transformer, 2020.
     */
    public void siluAndMul(Queue queue, Tensor out, Tensor x) {
        ElementwiseChecks.gated(OpTable.SILU_AND_MUL, queue, out, x);
        dispatcher.call(OpTable.SILU_AND_MUL, queue, k -> k.run(queue, out, x));
    }

    /**
     * {@code out[T,D] = gelu(x[:, :D]) * x[:, D:]} of x[T,2D], with the tanh form
     * {@code gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))}. Source: Hendrycks and Gimpel, Gaussian Error Linear
     * Units, 2016; Shazeer, 2020.
     */
    public void geluAndMul(Queue queue, Tensor out, Tensor x) {
        ElementwiseChecks.gated(OpTable.GELU_AND_MUL, queue, out, x);
        dispatcher.call(OpTable.GELU_AND_MUL, queue, k -> k.run(queue, out, x));
    }

    /** {@code out = max(x, 0)}; any rank; out has x's shape and may be the same view as x. */
    public void relu(Queue queue, Tensor out, Tensor x) {
        ElementwiseChecks.relu(queue, out, x);
        dispatcher.call(OpTable.RELU, queue, k -> k.run(queue, out, x));
    }

    /**
     * {@code out = a + b}, any rank from 1 on. b has a's shape, or is [D], D the last dimension of a, and is added to every row. out
     * may be the same view as a.
     */
    public void add(Queue queue, Tensor out, Tensor a, Tensor b) {
        ElementwiseChecks.add(queue, out, a, b);
        dispatcher.call(OpTable.ADD, queue, k -> k.run(queue, out, a, b));
    }

    /** {@code out = x * value}; any rank; out has x's shape. */
    public void mulScalar(Queue queue, Tensor out, Tensor x, double value) {
        ElementwiseChecks.map(OpTable.MUL_SCALAR, queue, out, x);
        dispatcher.call(OpTable.MUL_SCALAR, queue, k -> k.run(queue, out, x, value));
    }

    /**
     * {@code out = cap * tanh(x / cap)}; any rank; out has x's shape. Source: Gemma Team, Gemma 2, 2024.
     *
     * @param cap above 0
     */
    public void softCap(Queue queue, Tensor out, Tensor x, double cap) {
        ElementwiseChecks.map(OpTable.SOFT_CAP, queue, out, x);
        Check.positive(OpTable.SOFT_CAP, "cap", cap);
        dispatcher.call(OpTable.SOFT_CAP, queue, k -> k.run(queue, out, x, cap));
    }

    /** {@code x[:, n] *= col[n]}, in place; x[M,N] and col[N] are f32. */
    public void mulColVecF32(Queue queue, Tensor x, Tensor col) {
        ElementwiseChecks.mulColVec(queue, x, col);
        dispatcher.call(OpTable.MUL_COL_VEC_F32, queue, k -> k.run(queue, x, col));
    }

    /**
     * {@code out = attn * sigmoid(gate)}, rounded to bf16 once; any rank, all of one shape. Source: Qiu et al., Gated Attention for
     * Large Language Models, 2025.
     *
     * @param out bf16
     * @param attn f32 or bf16
     * @param gate f32
     */
    public void sigmoidGateBf16(Queue queue, Tensor out, Tensor attn, Tensor gate) {
        ElementwiseChecks.sigmoidGate(queue, out, attn, gate);
        dispatcher.call(OpTable.SIGMOID_GATE_BF16, queue, k -> k.run(queue, out, attn, gate));
    }

    /** Rounds x to bf16, to nearest even; any rank; out is bf16 of x's shape. */
    public void castBf16(Queue queue, Tensor out, Tensor x) {
        ElementwiseChecks.castBf16(queue, out, x);
        dispatcher.call(OpTable.CAST_BF16, queue, k -> k.run(queue, out, x));
    }

    /** Widens x to f32; any rank; out is f32 of x's shape; x may have padded rows. */
    public void castF32(Queue queue, Tensor out, Tensor x) {
        ElementwiseChecks.castF32(queue, out, x);
        dispatcher.call(OpTable.CAST_F32, queue, k -> k.run(queue, out, x));
    }

    // Rows in and out

    /**
     * {@code out[t] = table[ids[t]]}. An id outside the table fails the queue.
     *
     * @param out [T,H]
     * @param table [V,H], f32, f16, bf16 or a block encoding
     * @param ids [T], i32 or i64
     */
    public void embedding(Queue queue, Tensor out, Tensor table, Tensor ids) {
        ElementwiseChecks.embedding(queue, out, table, ids);
        dispatcher.call(OpTable.EMBEDDING, queue, k -> k.run(queue, out, table, ids));
    }

    /** Splits the columns of qkv[T, Q+K+V] into q[T,Q], k[T,K] and v[T,V]; all of one dtype, f32 or bf16. */
    public void qkvSplit(Queue queue, Tensor q, Tensor k, Tensor v, Tensor qkv) {
        ElementwiseChecks.qkvSplit(queue, q, k, v, qkv);
        dispatcher.call(OpTable.QKV_SPLIT, queue, kernel -> kernel.run(queue, q, k, v, qkv));
    }

    // Rotary embeddings. Source: Su et al., RoFormer, 2021

    /**
     * Rotates, in place, the first rotaryDim elements of each head by the angles of its position; element i is paired with
     * {@code i + rotaryDim / 2}, the way of GPT-NeoX.
     *
     * @param q [T,Hq,D] f32 or bf16
     * @param k [T,Hk,D] of q's dtype
     * @param positions [T] i32 or i64
     * @param frequencies rotaryDim even, above 0 and at most D; base and scales above 0
     */
    public void ropeNeox(Queue queue, Tensor q, Tensor k, Tensor positions, RopeFrequencies frequencies) {
        ropeNeox(queue, q, k, positions, frequencies, null);
    }

    /**
     * As {@link #ropeNeox(Queue, Tensor, Tensor, Tensor, RopeFrequencies)}, for tokens that have a position in time and one in each
     * direction of a picture.
     *
     * @param positions [3,T] i32 or i64, or [T] without sections
     * @param sections which pair is rotated by which position; all add up to rotaryDim / 2; or null
     */
    public void ropeNeox(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor positions,
            RopeFrequencies frequencies,
            @Nullable MropeSections sections) {
        RopeChecks.neox(queue, q, k, positions, frequencies, sections);
        dispatcher.call(OpTable.ROPE_NEOX, queue, kernel -> kernel.run(queue, q, k, positions, frequencies, sections));
    }

    /**
     * Makes the table of {@link #ropeFromCache}: row t holds the cosines of the rotaryDim / 2 angles of positions[t], then their
     * sines.
     *
     * @param cosSin [T,rotaryDim] f32
     * @param positions [T] i32 or i64
     * @param frequencies as in {@link #ropeNeox}
     * @param factors [rotaryDim / 2] f32, what each frequency is divided by, or null
     */
    public void ropeCosSinCache(
            Queue queue, Tensor cosSin, Tensor positions, RopeFrequencies frequencies, @Nullable Tensor factors) {
        RopeChecks.cosSinCache(queue, cosSin, positions, frequencies, factors);
        dispatcher.call(OpTable.ROPE_COS_SIN_CACHE, queue, k -> k.run(queue, cosSin, positions, frequencies, factors));
    }

    /**
     * Rotates q and k, in place, by the rows of a table. q and k may have padded rows, so they can be columns of one fused buffer. A
     * position outside the table fails the queue.
     *
     * @param q [T,Hq,D] f32 or bf16
     * @param k [T,Hk,D] of q's dtype, or null
     * @param cosSin [P,rotaryDim] f32; rotaryDim even, above 0 and at most D
     * @param positions [T] i32 or i64
     * @param interleaved true pairs elements (2i, 2i + 1), GPT-J's way; false pairs (i, i + rotaryDim / 2)
     */
    public void ropeFromCache(
            Queue queue, Tensor q, @Nullable Tensor k, Tensor cosSin, Tensor positions, boolean interleaved) {
        ropeFromCache(queue, q, k, cosSin, positions, interleaved, null);
    }

    /**
     * As {@link #ropeFromCache(Queue, Tensor, Tensor, Tensor, Tensor, boolean)}, for tokens that have a position in time and one in each
     * direction of a picture.
     *
     * @param positions [3,T] i32 or i64, or [T] without sections
     * @param sections which pair is rotated by which position; all add up to rotaryDim / 2; or null
     */
    public void ropeFromCache(
            Queue queue,
            Tensor q,
            @Nullable Tensor k,
            Tensor cosSin,
            Tensor positions,
            boolean interleaved,
            @Nullable MropeSections sections) {
        RopeChecks.fromCache(queue, q, k, cosSin, positions, sections);
        dispatcher.call(
                OpTable.ROPE_FROM_CACHE,
                queue,
                kernel -> kernel.run(queue, q, k, cosSin, positions, interleaved, sections));
    }

    // Attention over a paged cache. Source: Kwon et al., Efficient Memory Management for Large Language Model Serving
    // with PagedAttention, 2023

    /**
     * Writes row t of k and v to slot slotMapping[t] of the caches: row {@code s % blockSize} of block {@code s / blockSize}. A negative
     * slot is skipped. A slot outside the cache fails the queue.
     *
     * @param k [T,Hkv,D]
     * @param v [T,Hkv,D] of k's dtype
     * @param kCache [blocks,blockSize,Hkv,D] f32 or bf16; blocks may be padded
     * @param vCache as kCache, of one dtype with it
     * @param slotMapping [T] i64
     */
    public void reshapeAndCache(Queue queue, Tensor k, Tensor v, Tensor kCache, Tensor vCache, Tensor slotMapping) {
        AttentionChecks.reshapeAndCache(queue, k, v, kCache, vCache, slotMapping);
        dispatcher.call(
                OpTable.RESHAPE_AND_CACHE, queue, kernel -> kernel.run(queue, k, v, kCache, vCache, slotMapping));
    }

    /**
     * {@code out = softmax(scale * query . keys) . values} for several requests at once, each over its own blocks of the caches. Request
     * r owns rows queryStartLoc[r] to queryStartLoc[r + 1] and sees seqLens[r] cached tokens, of which its last row is the last.
     * Query head h reads key/value head {@code h / (Hq / Hkv)}.
     *
     * @param out [T,Hq,D]
     * @param query [T,Hq,D]
     * @param kCache [blocks,blockSize,Hkv,D]; Hq is a multiple of Hkv; blocks may be padded
     * @param vCache as kCache, of one dtype with it
     * @param blockTable [R,maxBlocks] i32
     * @param seqLens [R] i32
     * @param queryStartLoc [R+1] i32
     * @param params scale above 0; window and softCap 0 (for none) or above
     */
    public void pagedAttention(
            Queue queue,
            Tensor out,
            Tensor query,
            Tensor kCache,
            Tensor vCache,
            Tensor blockTable,
            Tensor seqLens,
            Tensor queryStartLoc,
            AttentionParams params) {
        AttentionChecks.pagedAttention(queue, out, query, kCache, vCache, blockTable, seqLens, queryStartLoc, params);
        dispatcher.call(
                OpTable.PAGED_ATTENTION,
                queue,
                k -> k.run(queue, out, query, kCache, vCache, blockTable, seqLens, queryStartLoc, params));
    }

    // Linear attention: causal convolution, Gu and Dao, Mamba, 2023; gated delta rule, Yang et al., Gated Delta
    // Networks, 2024

    /**
     * {@code out[t,c] = bias[c] + sum over j of weight[c,j] * x[t - (K - 1) + j, c]} for several sequences at once, silu of it if wanted.
     * Sequence n owns rows queryStartLoc[n] to queryStartLoc[n + 1]; before its first row it sees its state, or zeros where
     * hasInitialState[n] is 0. Afterwards its state is its last K - 1 inputs; a sequence without rows keeps its state. Rows of no
     * sequence are left alone.
     *
     * @param out [T,C]
     * @param x [T,C]
     * @param weight [C,K], K 1 or more; the last column is of the token itself
     * @param bias [C], or null for 0
     * @param state [N,C,K-1] f32, read and written, oldest input first
     * @param queryStartLoc [N+1] i32, rising, within 0 to T
     * @param hasInitialState [N] i8 or i32
     * @param silu whether {@code y / (1 + exp(-y))} is made of each result
     */
    public void causalConv1dFwd(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            Tensor queryStartLoc,
            Tensor hasInitialState,
            boolean silu) {
        ConvChecks.fwd(queue, out, x, weight, bias, state, queryStartLoc, hasInitialState);
        dispatcher.call(
                OpTable.CAUSAL_CONV1D_FWD,
                queue,
                k -> k.run(queue, out, x, weight, bias, state, queryStartLoc, hasInitialState, silu));
    }

    /**
     * {@link #causalConv1dFwd} of one token of each of several sequences: row b sees slot stateIndices[b] of the states, which then
     * moves on by one input. A negative slot gives a row of zeros and touches no state. Rows of one slot are done in their order.
     * A slot outside the states fails the queue.
     *
     * @param out [B,C]
     * @param x [B,C]
     * @param weight [C,K], K 1 or more
     * @param bias [C], or null for 0
     * @param state [slots,C,K-1] f32, read and written, oldest input first; [B,C,K-1] without stateIndices
     * @param stateIndices [B] i32, or null: row b has slot b
     * @param silu as in {@link #causalConv1dFwd}
     */
    public void causalConv1dUpdate(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            @Nullable Tensor stateIndices,
            boolean silu) {
        ConvChecks.update(queue, out, x, weight, bias, state, stateIndices);
        dispatcher.call(
                OpTable.CAUSAL_CONV1D_UPDATE,
                queue,
                k -> k.run(queue, out, x, weight, bias, state, stateIndices, silu));
    }

    /**
     * The gated delta rule over several sequences at once. With the state S[Dv,Dk] of a value head, for each token in turn:
     * {@code S *= exp(g); S += beta * (v - S k) k^T; out = scale * S q}. Sequence n owns rows queryStartLoc[n] to
     * queryStartLoc[n + 1] and begins with state[n]. Value head h reads query and key head {@code h / (Hv / Hk)}. Rows of no sequence
     * are left alone.
     *
     * @param out [T,Hv,Dv]
     * @param q [T,Hk,Dk], each head of length 1 ({@code l2_norm})
     * @param k [T,Hk,Dk], as q
     * @param v [T,Hv,Dv], Hv a multiple of Hk
     * @param g [T,Hv] f32, the logarithm of the decay
     * @param beta [T,Hv] f32
     * @param state [N,Hv,Dv,Dk] f32, read and written
     * @param queryStartLoc [N+1] i32, rising, within 0 to T
     * @param scale above 0
     */
    public void gdnPrefill(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            Tensor queryStartLoc,
            float scale) {
        GdnChecks.prefill(queue, out, q, k, v, g, beta, state, queryStartLoc, scale);
        dispatcher.call(
                OpTable.GDN_PREFILL,
                queue,
                kernel -> kernel.run(queue, out, q, k, v, g, beta, state, queryStartLoc, scale));
    }

    /**
     * {@link #gdnPrefill} of one token of each of several sequences: row b works on slot stateIndices[b] of the states. A negative slot
     * gives a row of zeros and touches no state. Rows of one slot are done in their order. A slot outside the states fails the queue.
     *
     * @param out [B,Hv,Dv]
     * @param q [B,Hk,Dk]
     * @param k [B,Hk,Dk]
     * @param v [B,Hv,Dv], Hv a multiple of Hk
     * @param g [B,Hv] f32
     * @param beta [B,Hv] f32
     * @param state [slots,Hv,Dv,Dk] f32, read and written; [B,Hv,Dv,Dk] without stateIndices
     * @param stateIndices [B] i32, or null: row b has slot b
     * @param scale above 0
     */
    public void gdnDecode(
            Queue queue,
            Tensor out,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor state,
            @Nullable Tensor stateIndices,
            float scale) {
        GdnChecks.decode(queue, out, q, k, v, g, beta, state, stateIndices, scale);
        dispatcher.call(
                OpTable.GDN_DECODE,
                queue,
                kernel -> kernel.run(queue, out, q, k, v, g, beta, state, stateIndices, scale));
    }

    /**
     * {@link #gdnDecode} from what the convolution and the projections give: splits a row into q, k and v, normalises each head of q and k
     * to length 1, makes g and beta as {@link #gdnGBeta} does, and takes the step. Slots are as in {@link #gdnDecode}.
     *
     * @param out [B,Hv,Dv]
     * @param mixedQkv [B, 2 * Hk * Dk + Hv * Dv], Hv a multiple of Hk
     * @param a [B,Hv]
     * @param b [B,Hv]
     * @param aLog [Hv]
     * @param dtBias [Hv]
     * @param state [slots,Hv,Dv,Dk] f32, read and written
     * @param stateIndices [B] i32
     * @param scale above 0
     * @param eps of the normalisation, above 0
     */
    public void gdnPackedDecode(
            Queue queue,
            Tensor out,
            Tensor mixedQkv,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            Tensor state,
            Tensor stateIndices,
            float scale,
            float eps) {
        GdnChecks.packedDecode(queue, out, mixedQkv, a, b, aLog, dtBias, state, stateIndices, scale, eps);
        dispatcher.call(
                OpTable.GDN_PACKED_DECODE,
                queue,
                k -> k.run(queue, out, mixedQkv, a, b, aLog, dtBias, state, stateIndices, scale, eps));
    }

    /**
     * {@code g = -exp(aLog) * softplus(a + dtBias)} and {@code beta = 1 / (1 + exp(-b))}, with
     * {@code softplus(x) = log(1 + exp(x))}, and x itself above 20.
     *
     * @param g [T,Hv] f32
     * @param beta [T,Hv] f32
     * @param a [T,Hv] f32 or bf16, rows may be padded
     * @param b [T,Hv] f32 or bf16, rows may be padded
     * @param aLog [Hv]
     * @param dtBias [Hv]
     */
    public void gdnGBeta(Queue queue, Tensor g, Tensor beta, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        GdnGateChecks.gBeta(queue, g, beta, a, b, aLog, dtBias);
        dispatcher.call(OpTable.GDN_G_BETA, queue, k -> k.run(queue, g, beta, a, b, aLog, dtBias));
    }

    /** Splits the columns of x[T, 2*K+V] into q[T,K], k[T,K] and v[T,V]; all f32. */
    public void gdnConvSplit(Queue queue, Tensor q, Tensor k, Tensor v, Tensor x) {
        GdnGateChecks.convSplit(queue, q, k, v, x);
        dispatcher.call(OpTable.GDN_CONV_SPLIT, queue, kernel -> kernel.run(queue, q, k, v, x));
    }

    /**
     * {@link #gdnConvSplit}, {@code l2_norm} of each head of q and k, and {@link #gdnGBeta} in one; equal to the three bit by bit.
     *
     * @param q [T,Hk,Dk] f32
     * @param k [T,Hk,Dk] f32
     * @param v [T,Hv,Dv] f32
     * @param g [T,Hv] f32
     * @param beta [T,Hv] f32
     * @param x [T, 2 * Hk * Dk + Hv * Dv] f32
     * @param a [T,Hv] f32 or bf16, rows may be padded
     * @param b [T,Hv] f32 or bf16, rows may be padded
     * @param aLog [Hv]
     * @param dtBias [Hv]
     * @param eps of the normalisation, above 0
     */
    public void gdnPostConv(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor g,
            Tensor beta,
            Tensor x,
            Tensor a,
            Tensor b,
            Tensor aLog,
            Tensor dtBias,
            float eps) {
        GdnGateChecks.postConv(queue, q, k, v, g, beta, x, a, b, aLog, dtBias, eps);
        dispatcher.call(
                OpTable.GDN_POST_CONV,
                queue,
                kernel -> kernel.run(queue, q, k, v, g, beta, x, a, b, aLog, dtBias, eps));
    }

    /**
     * {@code state[n] = cache[stateIndices[n]]}, widened to f32, zeros where the index is negative. An index outside the cache fails the
     * queue.
     *
     * @param state [N,...] f32, rank 2 to 4
     * @param cache [slots,...] f32 or bf16, of state's rank; slots may be padded
     * @param stateIndices [N] i32
     */
    public void gdnStateGather(Queue queue, Tensor state, Tensor cache, Tensor stateIndices) {
        StateChecks.gather(queue, state, cache, stateIndices);
        dispatcher.call(OpTable.GDN_STATE_GATHER, queue, k -> k.run(queue, state, cache, stateIndices));
    }

    /**
     * {@code cache[stateIndices[n]] = state[n]}, rounded to the cache's dtype; a negative index is skipped, of equal indices the last
     * counts. An index outside the cache fails the queue.
     *
     * @param cache [slots,...] f32 or bf16, rank 2 to 4; slots may be padded
     * @param state [N,...] f32, of cache's rank
     * @param stateIndices [N] i32
     */
    public void gdnStateScatter(Queue queue, Tensor cache, Tensor state, Tensor stateIndices) {
        StateChecks.scatter(queue, cache, state, stateIndices);
        dispatcher.call(OpTable.GDN_STATE_SCATTER, queue, k -> k.run(queue, cache, state, stateIndices));
    }

    // Attention over dense tensors. Source: Vaswani et al., Attention Is All You Need, 2017

    /**
     * {@code out = softmax(scale * query . keys) . values} over one sequence: row t sees rows 0 to t. Query head h reads key/value
     * head {@code h / (Hq / Hk)}.
     *
     * @param out [T,Hq,D]
     * @param query [T,Hq,D]
     * @param key [T,Hk,D]; Hq is a multiple of Hk
     * @param value [T,Hk,D]
     * @param scale above 0
     */
    public void attention(Queue queue, Tensor out, Tensor query, Tensor key, Tensor value, float scale) {
        DenseAttentionChecks.attention(queue, out, query, key, value, scale);
        dispatcher.call(OpTable.ATTENTION, queue, k -> k.run(queue, out, query, key, value, scale));
    }

    /**
     * Makes of the attention over two disjoint sets of keys that over both, by the logarithms of their sums of exp(score). A logarithm
     * of positive infinity counts as negative infinity, nothing seen; where both are that, out is the prefix. Source: Milakov and
     * Gimelshein, Online normalizer calculation for softmax, 2018.
     *
     * @param out [T,H,D]
     * @param outLse [H,T] f32, the logarithm for both together, or null
     * @param prefix [T,H,D]
     * @param prefixLse [H,T] f32
     * @param suffix [T,H,D]
     * @param suffixLse [H,T] f32
     */
    public void mergeAttnStates(
            Queue queue,
            Tensor out,
            @Nullable Tensor outLse,
            Tensor prefix,
            Tensor prefixLse,
            Tensor suffix,
            Tensor suffixLse) {
        DenseAttentionChecks.merge(queue, out, outLse, prefix, prefixLse, suffix, suffixLse);
        dispatcher.call(
                OpTable.MERGE_ATTN_STATES, queue, k -> k.run(queue, out, outLse, prefix, prefixLse, suffix, suffixLse));
    }

    /**
     * Splits a merged projection, which has for each head D elements of the query and then D of its gate.
     *
     * @param q [T,Hq,D] f32
     * @param gate [T,Hq,D] f32
     * @param qGate [T,2*Hq*D]
     */
    public void attnGateSplit(Queue queue, Tensor q, Tensor gate, Tensor qGate) {
        DenseAttentionChecks.gateSplit(queue, q, gate, qGate);
        dispatcher.call(OpTable.ATTN_GATE_SPLIT, queue, k -> k.run(queue, q, gate, qGate));
    }

    /**
     * What comes before gated attention, in one op: {@link #attnGateSplit} of qGate, {@link #rmsNorm} in the gemma form of each head of
     * the query and of k, and the rotation of their first rotaryDim elements, the way of GPT-NeoX, by row t of cosSin. The bits are
     * those of the single ops.
     *
     * @param qOut [T,Hq,D] f32
     * @param kOut [T,Hk,D] f32
     * @param gateOut [T,Hq,D] f32
     * @param qGate [T,2*Hq*D]
     * @param k [T,Hk*D]
     * @param qNorm [D], the weight of the norm of the query
     * @param kNorm [D], that of k
     * @param cosSin [T,rotaryDim] f32, as {@link #ropeCosSinCache} makes it; rotaryDim even, above 0 and at most D
     * @param eps above 0
     */
    public void attnQkNormRopeGate(
            Queue queue,
            Tensor qOut,
            Tensor kOut,
            Tensor gateOut,
            Tensor qGate,
            Tensor k,
            Tensor qNorm,
            Tensor kNorm,
            Tensor cosSin,
            float eps) {
        DenseAttentionChecks.qkNormRopeGate(queue, qOut, kOut, gateOut, qGate, k, qNorm, kNorm, cosSin, eps);
        dispatcher.call(
                OpTable.ATTN_QK_NORM_ROPE_GATE,
                queue,
                kernel -> kernel.run(queue, qOut, kOut, gateOut, qGate, k, qNorm, kNorm, cosSin, eps));
    }

    // Multi-head latent attention. Source: DeepSeek-AI, DeepSeek-V2, 2024

    /**
     * Writes row t of kvC, then row t of kPe, to slot slotMapping[t] of the cache: row {@code s % blockSize} of block
     * {@code s / blockSize}. A negative slot is skipped. A slot outside the cache fails the queue. A cache in an fp8 layout is refused.
     *
     * @param kvC [T,R], the latent vectors
     * @param kPe [T,P], the rotated parts of the keys
     * @param cache [blocks,blockSize,R+P] f32 or bf16; blocks may be padded
     * @param slotMapping [T] i64
     */
    public void concatAndCacheMla(Queue queue, Tensor kvC, Tensor kPe, Tensor cache, Tensor slotMapping) {
        MlaChecks.concatAndCache(queue, kvC, kPe, cache, slotMapping);
        dispatcher.call(OpTable.CONCAT_AND_CACHE_MLA, queue, k -> k.run(queue, kvC, kPe, cache, slotMapping));
    }

    /**
     * One query row a request over the latent cache: request b sees its first seqLens[b] cached rows, and all its heads see the same
     * ones. A key is a whole row of the cache, a value its first Dv columns. A request that sees nothing gets zeros. A length or block
     * outside the cache fails the queue.
     *
     * @param out [B,Hq,Dv] of query's dtype; Dv is at most D
     * @param lse [B,Hq] f32, the natural logarithms of the sums of exp(score), or null
     * @param query [B,Hq,D] f32 or bf16
     * @param cache [blocks,blockSize,D] of query's dtype; blocks may be padded
     * @param blockTable [B,maxBlocks] i32
     * @param seqLens [B] i32
     * @param scale above 0
     */
    public void mlaDecodeAttention(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor cache,
            Tensor blockTable,
            Tensor seqLens,
            float scale) {
        MlaChecks.decode(queue, out, lse, query, cache, blockTable, seqLens, scale);
        dispatcher.call(
                OpTable.MLA_DECODE_ATTENTION,
                queue,
                k -> k.run(queue, out, lse, query, cache, blockTable, seqLens, scale));
    }

    /**
     * Attention over R sequences at once, whose values are narrower or wider than their keys. Sequence r owns query rows cuSeqlensQ[r]
     * to cuSeqlensQ[r + 1] and key rows cuSeqlensK[r] to cuSeqlensK[r + 1]; when causal, its last query row is its last key row, and
     * a row sees no later one. A row that sees nothing becomes zeros, one that belongs to no sequence stays. Bounds that go back or
     * lie outside the tensors fail the queue.
     *
     * @param out [Tq,H,Dv]
     * @param lse [H,Tq] f32, the natural logarithms of the sums of exp(score), or null
     * @param query [Tq,H,D]
     * @param key [Tk,H,D]
     * @param value [Tk,H,Dv]
     * @param cuSeqlensQ [R+1] i32
     * @param cuSeqlensK [R+1] i32
     * @param scale above 0
     * @param causal false where all keys come before the queries
     */
    public void mlaPrefillAttention(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor cuSeqlensQ,
            Tensor cuSeqlensK,
            float scale,
            boolean causal) {
        MlaChecks.prefill(queue, out, lse, query, key, value, cuSeqlensQ, cuSeqlensK, scale);
        dispatcher.call(
                OpTable.MLA_PREFILL_ATTENTION,
                queue,
                k -> k.run(queue, out, lse, query, key, value, cuSeqlensQ, cuSeqlensK, scale, causal));
    }

    /**
     * Copies cached rows of B sequences to the first N rows of dst, one sequence after the other. Row t is of sequence
     * {@code s = tokenToSeq[t]}, which owns rows cuSeqLens[s] to cuSeqLens[s + 1], and is row
     * {@code seqStarts[s] + t - cuSeqLens[s]} of it. A start that is no multiple of blockSize, and a row outside the table or the cache, fail
     * the queue.
     *
     * @param dst [N or more,D]; further rows stay
     * @param cache [blocks,blockSize,D]; blocks may be padded
     * @param blockTable [B,maxBlocks] i32
     * @param cuSeqLens [B+1] i32
     * @param tokenToSeq [N] i32
     * @param seqStarts [B] i32, or null for 0
     */
    public void gatherMlaCache(
            Queue queue,
            Tensor dst,
            Tensor cache,
            Tensor blockTable,
            Tensor cuSeqLens,
            Tensor tokenToSeq,
            @Nullable Tensor seqStarts) {
        MlaChecks.gather(queue, dst, cache, blockTable, cuSeqLens, tokenToSeq, seqStarts);
        dispatcher.call(
                OpTable.GATHER_MLA_CACHE,
                queue,
                k -> k.run(queue, dst, cache, blockTable, cuSeqLens, tokenToSeq, seqStarts));
    }

    /**
     * Puts the two parts of each head side by side: {@code out[:, :, :N] = nope}, the rest is rope, of which one head may serve all.
     * Only the last dimension is contiguous: the strides of the first two are free; those of out keep its rows apart.
     *
     * @param out [T,H,N+P] f32, f16 or bf16
     * @param nope [T,H,N] of out's dtype
     * @param rope [T,H,P] or [T,1,P] of out's dtype
     */
    public void concatMlaNopeRope(Queue queue, Tensor out, Tensor nope, Tensor rope) {
        MlaChecks.concat(queue, out, nope, rope);
        dispatcher.call(OpTable.CONCAT_MLA_NOPE_ROPE, queue, k -> k.run(queue, out, nope, rope));
    }

    // Mixture of experts. Source: Shazeer et al., Outrageously Large Neural Networks, 2017

    /**
     * Chooses k of E experts for each token and weighs them. Experts come best first, the lower index first on a tie; a NaN counts as
     * the largest. The score of an expert is the softmax of its row or the sigmoid of its logit; the choice is by logit, or by score +
     * bias where there is a bias; the weight is the score, without the bias. Sources: Fedus et al., Switch Transformers, 2021;
     * DeepSeek-AI, DeepSeek-V2 and DeepSeek-V3, 2024, for groups and bias.
     *
     * @param weights [T,k] f32
     * @param indices [T,k] i32
     * @param logits [T,E]
     * @param bias [E] f32, or null
     * @param params groups divide E, topGroups are 1 to groups and have k experts or more, scale above 0
     */
    public void moeRouterTopK(
            Queue queue, Tensor weights, Tensor indices, Tensor logits, @Nullable Tensor bias, RouterParams params) {
        MoeChecks.routerTopK(queue, weights, indices, logits, bias, params);
        dispatcher.call(OpTable.MOE_ROUTER_TOP_K, queue, k -> k.run(queue, weights, indices, logits, bias, params));
    }

    /**
     * Multiplies rows with the matrices of their experts: {@code out[p] = act[rowMap[p]] * W[expertIds[p]]}. The matrices lie anywhere
     * in the device's memory: weights holds their addresses. An address is where a contiguous bf16 matrix [K,N] begins that lies in
     * one open block of the device's backend; the caller keeps the block open until the work is done. An expert id or a row outside
     * its range fails the queue, and so does the address of an expert in use that is 0 or that is known to be no such memory.
     *
     * @param out [P,N]
     * @param act [R,K]; R is P when there is no rowMap
     * @param expertIds [P] i32, 0 to E - 1
     * @param rowMap [P] i32, rows of act, or null for 0 to P - 1
     * @param weights [E] i64
     */
    public void moeGroupedGemmBf16(
            Queue queue, Tensor out, Tensor act, Tensor expertIds, @Nullable Tensor rowMap, Tensor weights) {
        MoeChecks.groupedGemmBf16(queue, out, act, expertIds, rowMap, weights);
        dispatcher.call(OpTable.MOE_GROUPED_GEMM_BF16, queue, k -> k.run(queue, out, act, expertIds, rowMap, weights));
    }

    /** {@code out = silu(gate) * up}; all [R,I]. As {@link #siluAndMul} of two tensors. */
    public void moeSiluMul(Queue queue, Tensor out, Tensor gate, Tensor up) {
        MoeChecks.siluMul(queue, out, gate, up);
        dispatcher.call(OpTable.MOE_SILU_MUL, queue, k -> k.run(queue, out, gate, up));
    }

    /**
     * {@code out[t] = sum over k of weights[t,k] * expertOut[t,k]}, in the order of k, then {@code + shared[t]}.
     *
     * @param out [T,H]
     * @param expertOut [T,K,H]
     * @param weights [T,K] f32
     * @param shared [T,H], or null
     */
    public void moeCombine(Queue queue, Tensor out, Tensor expertOut, Tensor weights, @Nullable Tensor shared) {
        MoeChecks.combine(queue, out, expertOut, weights, shared);
        dispatcher.call(OpTable.MOE_COMBINE, queue, k -> k.run(queue, out, expertOut, weights, shared));
    }

    /**
     * {@code out[t] = sigmoid(gateLogits[t]) * shared[t]}: the part of the expert that every token sees.
     *
     * @param out [T,H] bf16
     * @param shared [T,H] f32
     * @param gateLogits [T] or [T,1] f32
     */
    public void sharedExpertGate(Queue queue, Tensor out, Tensor shared, Tensor gateLogits) {
        MoeChecks.sharedExpertGate(queue, out, shared, gateLogits);
        dispatcher.call(OpTable.SHARED_EXPERT_GATE, queue, k -> k.run(queue, out, shared, gateLogits));
    }

    /**
     * {@link #moeCombine} of what {@link #sharedExpertGate} makes of shared and gateLogits, with the same result as the two calls: the
     * gated part is rounded to bf16 before it is added.
     *
     * @param out [T,H]
     * @param expertOut [T,K,H]
     * @param weights [T,K] f32
     * @param shared [T,H] f32
     * @param gateLogits [T,1] f32
     */
    public void moeCombineGate(
            Queue queue, Tensor out, Tensor expertOut, Tensor weights, Tensor shared, Tensor gateLogits) {
        MoeChecks.combineGate(queue, out, expertOut, weights, shared, gateLogits);
        dispatcher.call(
                OpTable.MOE_COMBINE_GATE, queue, k -> k.run(queue, out, expertOut, weights, shared, gateLogits));
    }

    // From logits to tokens

    /**
     * {@code tokenIds[r]} (i64) = index of the largest of logits[R,V] in row r, the lowest on a tie; a NaN counts as the largest; V is 1 or
     * more.
     */
    public void greedyArgmax(Queue queue, Tensor tokenIds, Tensor logits) {
        SamplerChecks.greedyArgmax(queue, tokenIds, logits);
        dispatcher.call(OpTable.GREEDY_ARGMAX, queue, k -> k.run(queue, tokenIds, logits));
    }

    /**
     * Divides each row of logits by its temperature, in place; a temperature below 1e-5 counts as 1.
     *
     * @param logits [R,V] f32
     * @param temperature [R] f32
     * @param allRandom a promise that no temperature is below 1e-5
     */
    public void applyTemperature(Queue queue, Tensor logits, Tensor temperature, boolean allRandom) {
        SamplerChecks.temperature(queue, logits, temperature);
        dispatcher.call(OpTable.APPLY_TEMPERATURE, queue, k -> k.run(queue, logits, temperature, allRandom));
    }

    /**
     * Sets to negative infinity, in place, all but the k largest of each row, then all outside the smallest set whose probability
     * reaches p. Ranks go by value, then by index; a NaN comes first. A k below 1 or not below V keeps all, as does a p of 1 or more; a p
     * of 0 or less keeps one. The probabilities are those of what k left; where they are not defined (a NaN, a positive infinity, nothing
     * but negative infinities) p keeps all. Source: Fan et al., Hierarchical Neural Story Generation, 2018; Holtzman et al., The Curious Case of Neural Text
     * Degeneration, 2019.
     *
     * @param logits [R,V] f32
     * @param k [R] i32, or null
     * @param p [R] f32, or null
     */
    public void applyTopKTopP(Queue queue, Tensor logits, @Nullable Tensor k, @Nullable Tensor p) {
        SamplerChecks.topKTopP(queue, logits, k, p);
        dispatcher.call(OpTable.APPLY_TOP_K_TOP_P, queue, kernel -> kernel.run(queue, logits, k, p));
    }

    /**
     * Sets to negative infinity, in place, what is less likely than minP times the most likely of its row. A row whose probabilities are
     * not defined stays as it is. Source: Nguyen et al., Turning Up the Heat: Min-p Sampling, 2024.
     *
     * @param logits [R,V] f32
     * @param minP [R] f32
     */
    public void applyMinP(Queue queue, Tensor logits, Tensor minP) {
        SamplerChecks.minP(queue, logits, minP);
        dispatcher.call(OpTable.APPLY_MIN_P, queue, k -> k.run(queue, logits, minP));
    }

    /**
     * Makes tokens that were seen less likely, in place: logits of tokens in either mask are divided (positive) or multiplied
     * (negative) by repetition; frequency times the count, and presence where there is a count, are taken off. Source: Keskar et al.,
     * CTRL, 2019, for repetition.
     *
     * @param logits [R,V] f32
     * @param promptMask [R,V] i8, not 0 where the prompt has the token
     * @param outputMask [R,V] i8, not 0 where the output has it
     * @param counts [R,V] i32, how often the output has it
     * @param repetition [R] f32
     * @param frequency [R] f32
     * @param presence [R] f32
     */
    public void applyPenalties(
            Queue queue,
            Tensor logits,
            Tensor promptMask,
            Tensor outputMask,
            Tensor counts,
            Tensor repetition,
            Tensor frequency,
            Tensor presence) {
        SamplerChecks.penalties(queue, logits, promptMask, outputMask, counts, repetition, frequency, presence);
        dispatcher.call(
                OpTable.APPLY_PENALTIES,
                queue,
                k -> k.run(queue, logits, promptMask, outputMask, counts, repetition, frequency, presence));
    }

    /** {@code out = exp(x - max) / sum(exp(x - max))} of each row; x and out [R,V] f32. */
    public void computeProbs(Queue queue, Tensor out, Tensor x) {
        SamplerChecks.softmax(OpTable.COMPUTE_PROBS, queue, out, x);
        dispatcher.call(OpTable.COMPUTE_PROBS, queue, k -> k.run(queue, out, x));
    }

    /** {@code out = x - max - log(sum(exp(x - max)))} of each row; x and out [R,V] f32. */
    public void computeLogprobs(Queue queue, Tensor out, Tensor x) {
        SamplerChecks.softmax(OpTable.COMPUTE_LOGPROBS, queue, out, x);
        dispatcher.call(OpTable.COMPUTE_LOGPROBS, queue, k -> k.run(queue, out, x));
    }

    /**
     * Draws one token from each row: tokenIds[r] = argmax of probs[r] / e, e exponentially distributed noise that depends on
     * seeds[r], the row and the column alone. With the finaliser {@code mix} and the constant {@code GAMMA} of SplitMix64 it is {@code
     * e = -ln(u)}, {@code u = ((h >>> 11) + 0.5) / 2^53}, {@code h = mix(mix(seed + (row + 1) * GAMMA) + (column + 1) * GAMMA)}. What has
     * probability 0 is drawn only where all have it, and then the first; a NaN counts as the largest. Source: Steele, Lea and Flood,
     * Fast Splittable Pseudorandom Number Generators, 2014.
     *
     * @param tokenIds [R] i64
     * @param probs [R,V] f32, V 1 or more
     * @param seeds [R] i64
     */
    public void randomSample(Queue queue, Tensor tokenIds, Tensor probs, Tensor seeds) {
        SamplerChecks.randomSample(queue, tokenIds, probs, seeds);
        dispatcher.call(OpTable.RANDOM_SAMPLE, queue, k -> k.run(queue, tokenIds, probs, seeds));
    }

    // Four and eight bits. The encodings are those of ScaleLayout

    /**
     * {@code out[M,N] = act * W} transposed, where {@code W[n,k] = bf16(packed[n,k] * scale[n,k/16] * scale2)}: weights in nvfp4, the
     * product of codes, scales and scale2 rounded to f32, then to bf16.
     *
     * @param out [M,N]
     * @param act [M,K], K a multiple of 16
     * @param packed [N,K/2] i8, two codes a byte
     * @param scale [N,K/16] i8, e4m3
     * @param scale2 0 or more
     */
    public void matmulNvfp4(Queue queue, Tensor out, Tensor act, Tensor packed, Tensor scale, float scale2) {
        Fp4Checks.matmulNvfp4(queue, out, act, packed, scale, scale2);
        dispatcher.call(OpTable.MATMUL_NVFP4, queue, k -> k.run(queue, out, act, packed, scale, scale2));
    }

    /**
     * Quantises x to nvfp4 with a scale for each 16 elements, chosen from their largest magnitude as {@link ScaleLayout} says.
     *
     * @param packed [M,K/2] i8
     * @param scale i8 e4m3, [M,K/16] or, swizzled, [M up to a multiple of 128, K/16 up to a multiple of 4] with padding 0
     * @param x [M,K], K a multiple of 16
     * @param globalScale what block scales are multiplied with, above 0: the inverse of the tensor's f32 scale
     * @param layout of the scales
     */
    public void scaledFp4Quant(
            Queue queue, Tensor packed, Tensor scale, Tensor x, float globalScale, ScaleLayout layout) {
        Fp4Checks.unary(OpTable.SCALED_FP4_QUANT, queue, packed, scale, x, globalScale, layout, 1);
        dispatcher.call(OpTable.SCALED_FP4_QUANT, queue, k -> k.run(queue, packed, scale, x, globalScale, layout));
    }

    /** {@link #scaledFp4Quant} of bf16(silu(gate) * up); gate and up [M,K]. */
    public void siluMulFp4Quant(
            Queue queue, Tensor packed, Tensor scale, Tensor gate, Tensor up, float globalScale, ScaleLayout layout) {
        Fp4Checks.siluMul(queue, packed, scale, gate, up, globalScale, layout);
        dispatcher.call(
                OpTable.SILU_MUL_FP4_QUANT, queue, k -> k.run(queue, packed, scale, gate, up, globalScale, layout));
    }

    /** {@link #scaledFp4Quant} of bf16(silu(x[:, :K]) * x[:, K:]); x [M,2K]. */
    public void siluAndMulFp4Quant(
            Queue queue, Tensor packed, Tensor scale, Tensor x, float globalScale, ScaleLayout layout) {
        Fp4Checks.unary(OpTable.SILU_AND_MUL_FP4_QUANT, queue, packed, scale, x, globalScale, layout, 2);
        dispatcher.call(
                OpTable.SILU_AND_MUL_FP4_QUANT, queue, k -> k.run(queue, packed, scale, x, globalScale, layout));
    }

    /** {@link #scaledFp4Quant} of bf16(attn * sigmoid(gate)); attn [M,K] f32 or bf16, gate [M,K] f32. */
    public void sigmoidGateFp4Quant(
            Queue queue, Tensor packed, Tensor scale, Tensor attn, Tensor gate, float globalScale, ScaleLayout layout) {
        Fp4Checks.sigmoidGate(queue, packed, scale, attn, gate, globalScale, layout);
        dispatcher.call(
                OpTable.SIGMOID_GATE_FP4_QUANT,
                queue,
                k -> k.run(queue, packed, scale, attn, gate, globalScale, layout));
    }

    /**
     * {@code out[M,N] = alpha * A * B} transposed of two nvfp4 matrices, {@code A[m,k] = a[m,k] * aScale[m,k/16]} and B likewise.
     *
     * @param out [M,N]
     * @param a [M,K/2] i8, K a multiple of 16
     * @param aScale [M,K/16] i8, e4m3, linear
     * @param b [N,K/2] i8
     * @param bScale [N,K/16] i8, e4m3, linear
     * @param alpha the product of the f32 scales of both; finite
     */
    public void matmulNvfp4Fp4(Queue queue, Tensor out, Tensor a, Tensor aScale, Tensor b, Tensor bScale, float alpha) {
        Fp4Checks.matmulNvfp4Fp4(queue, out, a, aScale, b, bScale, alpha);
        dispatcher.call(OpTable.MATMUL_NVFP4_FP4, queue, k -> k.run(queue, out, a, aScale, b, bScale, alpha));
    }

    /**
     * As {@link #matmulNvfp4Fp4} with scales in the order of tensor cores.
     *
     * @param out [M,N] bf16, N a multiple of 32
     * @param a [M,K/2] i8, K a multiple of 32
     * @param aScale i8, swizzled, of M rows
     * @param b [N,K/2] i8
     * @param bScale i8, swizzled, of N rows
     * @param alpha finite
     * @param deviceAlpha [1] f32, taken in the place of alpha, or null
     */
    public void matmulNvfp4Cutlass(
            Queue queue,
            Tensor out,
            Tensor a,
            Tensor aScale,
            Tensor b,
            Tensor bScale,
            float alpha,
            @Nullable Tensor deviceAlpha) {
        Fp4Checks.matmulNvfp4Cutlass(queue, out, a, aScale, b, bScale, alpha, deviceAlpha);
        dispatcher.call(
                OpTable.MATMUL_NVFP4_CUTLASS, queue, k -> k.run(queue, out, a, aScale, b, bScale, alpha, deviceAlpha));
    }

    /**
     * {@code out[M,N] = alpha * a * b} transposed of two e4m3 matrices; a [M,K] and b [N,K] i8, K and N multiples of 16, alpha
     * finite.
     */
    public void matmulFp8Cutlass(Queue queue, Tensor out, Tensor a, Tensor b, float alpha) {
        Fp8Checks.matmul(OpTable.MATMUL_FP8_CUTLASS, queue, out, a, b, alpha);
        dispatcher.call(OpTable.MATMUL_FP8_CUTLASS, queue, k -> k.run(queue, out, a, b, alpha));
    }

    /** As {@link #matmulFp8Cutlass}, by the vendor's matrix library where there is one. */
    public void matmulFp8Cublaslt(Queue queue, Tensor out, Tensor a, Tensor b, float alpha) {
        Fp8Checks.matmul(OpTable.MATMUL_FP8_CUBLASLT, queue, out, a, b, alpha);
        dispatcher.call(OpTable.MATMUL_FP8_CUBLASLT, queue, k -> k.run(queue, out, a, b, alpha));
    }

    /**
     * {@code out = e4m3(x / scale)}: the quotient is rounded to f32, then to e4m3, saturating at 448.
     *
     * @param out [M,K] i8
     * @param x [M,K]
     * @param scale above 0
     */
    public void quantFp8Static(Queue queue, Tensor out, Tensor x, float scale) {
        Fp8Checks.quant(queue, out, x, scale);
        dispatcher.call(OpTable.QUANT_FP8_STATIC, queue, k -> k.run(queue, out, x, scale));
    }

    /**
     * Brings linear block scales to the swizzled layout, with padding 0; see {@link ScaleLayout}.
     *
     * @param out [R up to a multiple of 128, G up to a multiple of 4] i8
     * @param scale [R,G] i8
     */
    public void swizzleBlockscale(Queue queue, Tensor out, Tensor scale) {
        Fp4Checks.swizzle(queue, out, scale);
        dispatcher.call(OpTable.SWIZZLE_BLOCKSCALE, queue, k -> k.run(queue, out, scale));
    }

    /**
     * {@code out[p] = act[rowMap[p]] * W} transposed of expert {@code expertIds[p]}, with weights in nvfp4 as in {@link #matmulNvfp4}. An
     * expert or row that is not there, or the address 0 for an expert that is asked for, fails the queue. The memory at the addresses
     * is the caller's to keep until the queue has done the work.
     *
     * @param out [P,N]
     * @param act [R,K], K a multiple of 16
     * @param expertIds [P] i32
     * @param rowMap [P] i32, or null for row p, where R is P
     * @param packed [E] i64, device addresses of contiguous [N,K/2] bytes
     * @param scales [E] i64, device addresses of contiguous [N,K/16] bytes
     * @param scale2 [E] f32
     */
    public void moeGroupedGemmNvfp4(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor expertIds,
            @Nullable Tensor rowMap,
            Tensor packed,
            Tensor scales,
            Tensor scale2) {
        GroupedNvfp4Checks.grouped(queue, out, act, expertIds, rowMap, packed, scales, scale2);
        dispatcher.call(
                OpTable.MOE_GROUPED_GEMM_NVFP4,
                queue,
                k -> k.run(queue, out, act, expertIds, rowMap, packed, scales, scale2));
    }

    /**
     * The products of an expert layer with nvfp4 weights in the order of {@link MarlinLayout}. Rows are grouped into blocks of one
     * expert each: entry i of sortedTokenIds belongs to expert {@code expertIds[i / blockSize]} and names row {@code id} of out, which
     * becomes {@code act[id / topK] * W * scale2}, times topkWeights[id] where present. An id of T*topK or more is padding. Entries
     * from numTokensPostPadded on are not looked at. The rows of a block of expert -1 become 0; rows that no entry names stay as they
     * are. Other experts, negative ids and a count that is not whole blocks fail the queue. Products of codes and block scales are
     * exact; the sum is f32, then multiplied by scale2, then by the weight, then rounded.
     *
     * @param out [T*topK,N] bf16, N a multiple of 64
     * @param act [T,K] bf16, K a multiple of 16
     * @param packed [E,K/16,2N] i32
     * @param scale [E,K/16,N] i8, e4m3
     * @param scale2 [E] f32
     * @param sortedTokenIds [S*blockSize] i32
     * @param expertIds [S] i32
     * @param numTokensPostPadded [1] i32
     * @param topkWeights [T,topK] f32, or null
     * @param workspace [1 or more] i32, locks of kernels that need some; 0 before the call and after it
     * @param blockSize 1 or more
     * @param topK 1 or more
     */
    public void moeGroupedGemmNvfp4Marlin(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor packed,
            Tensor scale,
            Tensor scale2,
            Tensor sortedTokenIds,
            Tensor expertIds,
            Tensor numTokensPostPadded,
            @Nullable Tensor topkWeights,
            Tensor workspace,
            int blockSize,
            int topK) {
        GroupedNvfp4Checks.marlin(
                queue,
                out,
                act,
                packed,
                scale,
                scale2,
                sortedTokenIds,
                expertIds,
                numTokensPostPadded,
                topkWeights,
                workspace,
                blockSize,
                topK);
        dispatcher.call(
                OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN,
                queue,
                k -> k.run(
                        queue,
                        out,
                        act,
                        packed,
                        scale,
                        scale2,
                        sortedTokenIds,
                        expertIds,
                        numTokensPostPadded,
                        topkWeights,
                        workspace,
                        blockSize,
                        topK));
    }

    // Several ops in one

    /**
     * Runs the steps of a chain on each row of x, in one pass over memory. Each step rounds to the dtype of what it is stored in.
     *
     * @param out [T,H]
     * @param x [T,H]
     * @param weight [H], or null when the chain does not use it
     * @param residual [T,H] f32 or bf16, read and written, or null when the chain does not use it
     * @param chain the steps
     * @param eps of the normalisations, above 0
     */
    public void fusedChain(
            Queue queue,
            Tensor out,
            Tensor x,
            @Nullable Tensor weight,
            @Nullable Tensor residual,
            Chain chain,
            float eps) {
        ChainChecks.chain(queue, out, x, weight, residual, chain, eps);
        dispatcher.call(OpTable.FUSED_CHAIN, queue, k -> k.run(queue, out, x, weight, residual, chain, eps));
    }

    /**
     * {@link #rmsNorm} to bf16, then {@link #quantFp8Static}.
     *
     * @param out [T,H] i8
     * @param copy [T,H] bf16, gets what was quantised, or null
     * @param x [T,H]
     * @param weight [H]
     * @param residual [T,H] f32 or bf16, read and written, or null
     * @param eps above 0
     * @param scale above 0
     */
    public void rmsNormQuantFp8(
            Queue queue,
            Tensor out,
            @Nullable Tensor copy,
            Tensor x,
            Tensor weight,
            @Nullable Tensor residual,
            float eps,
            boolean gemma,
            float scale) {
        Fp8Checks.rmsNorm(queue, out, copy, x, weight, residual, eps, scale);
        dispatcher.call(
                OpTable.RMS_NORM_QUANT_FP8,
                queue,
                k -> k.run(queue, out, copy, x, weight, residual, eps, gemma, scale));
    }

    /**
     * {@code rms_norm_gated} to bf16, then {@link #quantFp8Static}: {@code x / sqrt(mean(x^2) + eps) * weight * silu(gate)} over the last
     * dimension, or times the sigmoid of the gate.
     *
     * @param out i8 of x's shape
     * @param x [R,D] or [T,H,D]
     * @param gate of x's shape; may have padded rows
     * @param weight [D]
     * @param eps above 0
     * @param scale above 0
     */
    public void rmsNormGatedQuantFp8(
            Queue queue, Tensor out, Tensor x, Tensor gate, Tensor weight, float eps, boolean sigmoid, float scale) {
        Fp8Checks.rmsNormGated(queue, out, x, gate, weight, eps, scale);
        dispatcher.call(
                OpTable.RMS_NORM_GATED_QUANT_FP8, queue, k -> k.run(queue, out, x, gate, weight, eps, sigmoid, scale));
    }

    /**
     * Adds to single logits, in place: {@code logits[rows[i], cols[i]] += bias[i]}, one after the other, so an element that is named
     * twice gets both. A place outside the logits fails the queue.
     *
     * @param logits [R,V] f32
     * @param rows [M] i32
     * @param cols [M] i32
     * @param bias [M] f32
     */
    public void applyLogitBias(Queue queue, Tensor logits, Tensor rows, Tensor cols, Tensor bias) {
        SamplerChecks.logitBias(queue, logits, rows, cols, bias);
        dispatcher.call(OpTable.APPLY_LOGIT_BIAS, queue, k -> k.run(queue, logits, rows, cols, bias));
    }

    /**
     * Sets single logits to negative infinity, in place: {@code logits[rows[i], cols[i]]}. A place outside the logits fails the queue.
     *
     * @param logits [R,V] f32
     * @param rows [M] i32
     * @param cols [M] i32
     */
    public void applyTokenMask(Queue queue, Tensor logits, Tensor rows, Tensor cols) {
        SamplerChecks.tokenMask(queue, logits, rows, cols);
        dispatcher.call(OpTable.APPLY_TOKEN_MASK, queue, k -> k.run(queue, logits, rows, cols));
    }

    /**
     * Sets to negative infinity, in place, every logit whose mask is not 0: the mask names what is not allowed.
     *
     * @param logits [R,V] f32
     * @param mask [R,V] i8
     */
    public void applyAllowedTokenIds(Queue queue, Tensor logits, Tensor mask) {
        SamplerChecks.allowedTokenIds(queue, logits, mask);
        dispatcher.call(OpTable.APPLY_ALLOWED_TOKEN_IDS, queue, k -> k.run(queue, logits, mask));
    }

    /**
     * Decides which tokens of a speculative step stand. Request r owns rows cu[r] to cu[r + 1] of logits, one for the token before its
     * drafts and one for each draft; draft names the token that each row was computed from. Row by row the argmax (that of
     * {@link #greedyArgmax}) is taken, and the next row counts only if it was computed from that token. So a request with rows gets 1
     * token or more, at most one for each row. Bounds that fall, lie outside the rows, or give a request more rows than sampled has
     * columns fail the queue. Source: Leviathan, Kalman and Matias, Fast Inference from Transformers via Speculative Decoding, 2023,
     * at temperature 0.
     *
     * @param sampled [R,max] i32, the tokens taken, then -1
     * @param num [R] i32, how many tokens were taken
     * @param logits [L,V] f32, V 1 or more
     * @param draft [L] i32; a number that is no token, such as -1, never stands
     * @param cu [R+1] i32
     */
    public void greedyRejectionSample(Queue queue, Tensor sampled, Tensor num, Tensor logits, Tensor draft, Tensor cu) {
        SamplerChecks.greedyRejection(queue, sampled, num, logits, draft, cu);
        dispatcher.call(OpTable.GREEDY_REJECTION_SAMPLE, queue, k -> k.run(queue, sampled, num, logits, draft, cu));
    }

    // Adapters

    /**
     * Writes down its own arguments, so that an adapter from another calling convention can be checked argument by argument.
     * {@link DropinProbe} describes the report.
     *
     * @param out [40] i64
     * @param x [T,H]; its rows may be padded
     * @param ids [T] i32 or i64
     * @param scale [H], or null
     */
    public void dropinProbe(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor ids,
            @Nullable Tensor scale,
            long integer,
            double real,
            boolean flag) {
        ProbeChecks.dropinProbe(queue, out, x, ids, scale);
        dispatcher.call(OpTable.DROPIN_PROBE, queue, k -> k.run(queue, out, x, ids, scale, integer, real, flag));
    }
}
