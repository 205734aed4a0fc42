package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;

/**
 * The activations of a step, in one block of device memory that holds the largest step; smaller steps use views of it.
 * The residual and the logits are f32, all others of the activations' dtype. Owned by a workspace; one thread at a time.
 */
final class StepBuffers implements AutoCloseable {
    private final Memory memory;
    /** The sum that runs through the layers, [T,H]. */
    final FirstRows residual;
    /** What a norm made of it, [T,H]. */
    final FirstRows normed;
    /** What a block adds to it, [T,H]. */
    final FirstRows delta;
    /** Query, key and value as a matrix product writes them, [T, heads * head size]. */
    final FirstRows query;

    final FirstRows key;
    final FirstRows value;
    /** The three side by side, as one product writes them, [T, (heads + 2 * kv heads) * head size]. */
    final FirstRows queryKeyValue;
    /** The normed query and key of a model with q/k norms; else the query and key themselves. */
    final FirstRows normedQuery;

    final FirstRows normedKey;
    /** Query and gate, head by head, [T, 2 * heads * head size]; without gates the query itself. */
    final FirstRows queryGate;
    /** What attention gives, [T, heads * head size]. */
    final FirstRows attention;
    /** What it is gated by; without gates the query. */
    final FirstRows attentionGate;
    /** The gated attention; without gates the attention itself. */
    final FirstRows gatedAttention;
    /** Gate and up side by side, [T,2F]. */
    final FirstRows gateUp;
    /** The left half of {@link #gateUp}, with padded rows. */
    final FirstRows gate;
    /** The right half of {@link #gateUp}, with padded rows. */
    final FirstRows up;
    /** silu(gate) * up, [T,F]. */
    final FirstRows gated;
    /** The normed rows whose logits are wanted, [R,H]. */
    final FirstRows picked;
    /** [R,V]. */
    final FirstRows logits;

    private final ModelConfig config;

    StepBuffers(Backend backend, ModelConfig config, DType dtype, int maxRows, int maxSequences) {
        this.config = config;
        int queryWidth = config.heads() * config.headSize();
        int keyWidth = config.kvHeads() * config.headSize();
        Regions regions = new Regions();
        long residualAt = regions.add(DType.F32, maxRows, config.width());
        long normedAt = regions.add(dtype, maxRows, config.width());
        long deltaAt = regions.add(dtype, maxRows, config.width());
        long queryAt = regions.add(dtype, maxRows, queryWidth);
        long keyAt = regions.add(dtype, maxRows, keyWidth);
        long valueAt = regions.add(dtype, maxRows, keyWidth);
        long queryKeyValueAt = regions.add(dtype, maxRows, queryWidth + 2L * keyWidth);
        long normedQueryAt = config.qkNorm() ? regions.add(dtype, maxRows, queryWidth) : queryAt;
        long normedKeyAt = config.qkNorm() ? regions.add(dtype, maxRows, keyWidth) : keyAt;
        boolean gates = config.gatedAttention();
        long queryGateAt = gates ? regions.add(dtype, maxRows, 2L * queryWidth) : queryAt;
        long attentionAt = regions.add(dtype, maxRows, queryWidth);
        long attentionGateAt = gates ? regions.add(dtype, maxRows, queryWidth) : queryAt;
        long gatedAttentionAt = gates ? regions.add(dtype, maxRows, queryWidth) : attentionAt;
        long gateUpAt = regions.add(dtype, maxRows, 2L * config.ffn());
        long gatedAt = regions.add(dtype, maxRows, config.ffn());
        long pickedAt = regions.add(dtype, maxSequences, config.width());
        long logitsAt = regions.add(DType.F32, maxSequences, config.vocabulary());
        memory = backend.allocate(regions.size());
        residual = rows(residualAt, DType.F32, maxRows, config.width());
        normed = rows(normedAt, dtype, maxRows, config.width());
        delta = rows(deltaAt, dtype, maxRows, config.width());
        query = rows(queryAt, dtype, maxRows, queryWidth);
        key = rows(keyAt, dtype, maxRows, keyWidth);
        value = rows(valueAt, dtype, maxRows, keyWidth);
        queryKeyValue = rows(queryKeyValueAt, dtype, maxRows, queryWidth + 2L * keyWidth);
        normedQuery = rows(normedQueryAt, dtype, maxRows, queryWidth);
        normedKey = rows(normedKeyAt, dtype, maxRows, keyWidth);
        queryGate = rows(queryGateAt, dtype, maxRows, gates ? 2L * queryWidth : queryWidth);
        attention = rows(attentionAt, dtype, maxRows, queryWidth);
        attentionGate = rows(attentionGateAt, dtype, maxRows, queryWidth);
        gatedAttention = rows(gatedAttentionAt, dtype, maxRows, queryWidth);
        gateUp = rows(gateUpAt, dtype, maxRows, 2L * config.ffn());
        gate = new FirstRows(gateUp.whole().columns(0, config.ffn()));
        up = new FirstRows(gateUp.whole().columns(config.ffn(), 2L * config.ffn()));
        gated = rows(gatedAt, dtype, maxRows, config.ffn());
        picked = rows(pickedAt, dtype, maxSequences, config.width());
        logits = rows(logitsAt, DType.F32, maxSequences, config.vocabulary());
    }

    private FirstRows rows(long offset, DType dtype, long rows, long width) {
        return new FirstRows(Tensor.of(memory, offset, dtype, rows, width));
    }

    /** Columns of {@link #queryKeyValue} in its first row, as a buffer of one row: there they lie behind each other. */
    FirstRows ofOneRow(int from, int to) {
        Tensor whole = queryKeyValue.whole();
        long offset = whole.offset() + Tensor.bytes(whole.dtype(), from);
        return new FirstRows(Tensor.of(memory, offset, whole.dtype(), 1, to - from));
    }

    /** A buffer seen as [T, heads, head size]. */
    FirstRows heads(FirstRows buffer) {
        Tensor whole = buffer.whole();
        return new FirstRows(whole.reshape(whole.dim(0), whole.dim(1) / config.headSize(), config.headSize()));
    }

    /** A buffer seen as one row for each head of each token, counted in tokens. */
    FirstRows headRows(FirstRows buffer) {
        Tensor whole = buffer.whole();
        int heads = Math.toIntExact(whole.dim(1) / config.headSize());
        return new FirstRows(whole.reshape(whole.dim(0) * heads, config.headSize()), heads);
    }

    @Override
    public void close() {
        memory.close();
    }
}
