package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.StepCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attention half of a layer: from the normed rows of a step to what attention adds to the residual. Queues work,
 * never waits. Owned by a decoder; one thread at a time.
 */
final class AttentionBlock {
    private static final Chain GATE =
            new Chain(List.of(FusedStep.of(StepCode.SIGMOID_GATE, Chain.OUT, Chain.X, Chain.RESIDUAL)), List.of());

    private final Ops ops;
    private final Queue queue;
    private final LayerWeights.Attention weights;
    private final StepInputs inputs;
    private final StepBuffers buffers;
    private final Tensor cosSin;
    private final Tensor keyCache;
    private final Tensor valueCache;
    private final boolean interleaved;
    private final boolean gated;
    private final float eps;
    private final AttentionParams params;
    private final FirstRows splitQueryHeads;
    private final FirstRows gateHeads;
    private final FirstRows attentionHeads;
    private final Views views;
    private final @Nullable Views ofOneRow;

    /** Query, key and value as the ops want to see them, before and after their norms. */
    private record Views(
            FirstRows queryHeads,
            FirstRows keyHeads,
            FirstRows valueHeads,
            FirstRows queryRows,
            FirstRows keyRows,
            FirstRows normedQueryRows,
            FirstRows normedKeyRows) {
        static Views of(
                StepBuffers buffers,
                FirstRows query,
                FirstRows key,
                FirstRows value,
                FirstRows normedQuery,
                FirstRows normedKey) {
            return new Views(
                    buffers.heads(normedQuery),
                    buffers.heads(normedKey),
                    buffers.heads(value),
                    buffers.headRows(query),
                    buffers.headRows(key),
                    buffers.headRows(normedQuery),
                    buffers.headRows(normedKey));
        }
    }

    AttentionBlock(
            Ops ops,
            Queue queue,
            ModelConfig config,
            LayerWeights.Attention weights,
            int layer,
            Workspace.Parts parts) {
        this.ops = ops;
        this.queue = queue;
        this.weights = weights;
        this.inputs = parts.inputs();
        this.buffers = parts.buffers();
        this.cosSin = parts.rope().cosSin();
        this.keyCache = parts.cache().keys(layer);
        this.valueCache = parts.cache().values(layer);
        this.interleaved = config.interleavedRope();
        this.gated = config.gatedAttention();
        this.eps = config.rmsEps();
        this.params = AttentionParams.causal((float) (1 / Math.sqrt(config.headSize())));
        this.splitQueryHeads = buffers.heads(buffers.query);
        this.gateHeads = buffers.heads(buffers.attentionGate);
        this.attentionHeads = buffers.heads(buffers.attention);
        this.views =
                Views.of(buffers, buffers.query, buffers.key, buffers.value, buffers.normedQuery, buffers.normedKey);
        this.ofOneRow = weights.queryKeyValue() == null ? null : ofOneRow(config);
    }

    private Views ofOneRow(ModelConfig config) {
        int keys = config.heads() * config.headSize();
        int values = keys + config.kvHeads() * config.headSize();
        FirstRows query = buffers.ofOneRow(0, keys);
        FirstRows key = buffers.ofOneRow(keys, values);
        return Views.of(
                buffers,
                query,
                key,
                buffers.ofOneRow(values, 2 * values - keys),
                config.qkNorm() ? buffers.normedQuery : query,
                config.qkNorm() ? buffers.normedKey : key);
    }

    /** Reads the normed rows, fills the delta. */
    void run() {
        int rows = inputs.rows();
        Tensor normed = buffers.normed.of(rows);
        Views seen = project(rows, normed);
        norm(seen.normedQueryRows().of(rows), seen.queryRows().of(rows), weights.queryNorm());
        norm(seen.normedKeyRows().of(rows), seen.keyRows().of(rows), weights.keyNorm());
        Tensor query = seen.queryHeads().of(rows);
        Tensor key = seen.keyHeads().of(rows);
        ops.ropeFromCache(queue, query, key, cosSin, inputs.positions(), interleaved);
        ops.reshapeAndCache(queue, key, seen.valueHeads().of(rows), keyCache, valueCache, inputs.slots());
        ops.pagedAttention(
                queue,
                attentionHeads.of(rows),
                query,
                keyCache,
                valueCache,
                inputs.blockTable(),
                inputs.seqLens(),
                inputs.queryStart(),
                params);
        weights.output().run(ops, queue, buffers.delta.of(rows), gated(rows));
    }

    /** Makes query, key and value, by one product where their weights lie together; of one row they need not be split. */
    private Views project(int rows, Tensor normed) {
        Projection together = weights.queryKeyValue();
        if (together == null) {
            query(rows, normed);
            weights.key().run(ops, queue, buffers.key.of(rows), normed);
            weights.value().run(ops, queue, buffers.value.of(rows), normed);
            return views;
        }
        Tensor all = buffers.queryKeyValue.of(rows);
        together.run(ops, queue, all, normed);
        if (rows == 1 && ofOneRow != null) {
            return ofOneRow;
        }
        ops.qkvSplit(queue, buffers.query.of(rows), buffers.key.of(rows), buffers.value.of(rows), all);
        return views;
    }

    private void query(int rows, Tensor normed) {
        if (!gated) {
            weights.query().run(ops, queue, buffers.query.of(rows), normed);
            return;
        }
        Tensor both = buffers.queryGate.of(rows);
        weights.query().run(ops, queue, both, normed);
        ops.attnGateSplit(queue, splitQueryHeads.of(rows), gateHeads.of(rows), both);
    }

    /** What attention gave, times the sigmoid of the gate where there is one. */
    private Tensor gated(int rows) {
        Tensor attention = buffers.attention.of(rows);
        if (!gated) {
            return attention;
        }
        Tensor out = buffers.gatedAttention.of(rows);
        ops.fusedChain(queue, out, attention, null, buffers.attentionGate.of(rows), GATE, eps);
        return out;
    }

    private void norm(Tensor out, Tensor in, @Nullable Tensor weight) {
        if (weight != null) {
            ops.rmsNorm(queue, out, in, weight, null, eps, false);
        }
    }
}
