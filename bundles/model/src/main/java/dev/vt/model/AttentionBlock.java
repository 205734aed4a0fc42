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
    private final FirstRows queryHeads;
    private final FirstRows keyHeads;
    private final FirstRows valueHeads;
    private final FirstRows attentionHeads;
    private final FirstRows queryRows;
    private final FirstRows keyRows;
    private final FirstRows normedQueryRows;
    private final FirstRows normedKeyRows;

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
        this.queryHeads = buffers.heads(buffers.normedQuery);
        this.keyHeads = buffers.heads(buffers.normedKey);
        this.valueHeads = buffers.heads(buffers.value);
        this.attentionHeads = buffers.heads(buffers.attention);
        this.queryRows = buffers.headRows(buffers.query);
        this.keyRows = buffers.headRows(buffers.key);
        this.normedQueryRows = buffers.headRows(buffers.normedQuery);
        this.normedKeyRows = buffers.headRows(buffers.normedKey);
    }

    /** Reads the normed rows, fills the delta. */
    void run() {
        int rows = inputs.rows();
        Tensor normed = buffers.normed.of(rows);
        project(rows, normed);
        norm(normedQueryRows.of(rows), queryRows.of(rows), weights.queryNorm());
        norm(normedKeyRows.of(rows), keyRows.of(rows), weights.keyNorm());
        Tensor query = queryHeads.of(rows);
        Tensor key = keyHeads.of(rows);
        ops.ropeFromCache(queue, query, key, cosSin, inputs.positions(), interleaved);
        ops.reshapeAndCache(queue, key, valueHeads.of(rows), keyCache, valueCache, inputs.slots());
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

    private void project(int rows, Tensor normed) {
        if (weights.queryKeyValue() != null) {
            Tensor all = buffers.queryKeyValue.of(rows);
            weights.queryKeyValue().run(ops, queue, all, normed);
            ops.qkvSplit(queue, buffers.query.of(rows), buffers.key.of(rows), buffers.value.of(rows), all);
            return;
        }
        query(rows, normed);
        weights.key().run(ops, queue, buffers.key.of(rows), normed);
        weights.value().run(ops, queue, buffers.value.of(rows), normed);
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
