package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import java.util.Objects;

/**
 * The linear attention half of a layer, a gated delta network: projections, a causal convolution, the gated delta rule,
 * a gated norm. A step that gives each sequence one token works on the kept states in place; any other takes them out and
 * puts them back. Queues work, never waits. Owned by a decoder; one thread at a time. Source: Yang et al., Gated Delta
 * Networks, 2024.
 */
final class DeltaBlock {
    /** What these models were trained with, whatever the epsilon of their norms. */
    private static final float UNIT_EPS = 1e-6f;

    private final Ops ops;
    private final Queue queue;
    private final LayerWeights.Delta weights;
    private final StepInputs inputs;
    private final StepBuffers rows;
    private final DeltaBuffers buffers;
    private final Tensor keptInputs;
    private final Tensor keptStates;
    private final float eps;
    private final float scale;

    DeltaBlock(Ops ops, Queue queue, ModelConfig config, LayerWeights.Delta weights, int layer, Workspace.Parts parts) {
        LinearAttention linear = Objects.requireNonNull(config.linear());
        DeltaStates states = Objects.requireNonNull(parts.states());
        this.ops = ops;
        this.queue = queue;
        this.weights = weights;
        this.inputs = parts.inputs();
        this.rows = parts.buffers();
        this.buffers = Objects.requireNonNull(parts.deltaBuffers());
        this.keptInputs = states.inputs(layer);
        this.keptStates = states.states(layer);
        this.eps = config.rmsEps();
        this.scale = (float) (1 / Math.sqrt(linear.keySize()));
    }

    /** Reads the normed rows, fills the delta. */
    void run() {
        int n = inputs.rows();
        Tensor normed = rows.normed.of(n);
        weights.qkv().run(ops, queue, buffers.qkv.of(n), normed);
        weights.gate().run(ops, queue, buffers.gate.of(n), normed);
        Tensor betaAlpha = buffers.betaAlpha.of(n);
        weights.betaAlpha().run(ops, queue, betaAlpha, normed);
        // b and a lie in the projection as query and gate of gated attention do.
        ops.attnGateSplit(queue, buffers.bHeads.of(n), buffers.aHeads.of(n), betaAlpha);
        if (inputs.single()) {
            decode(n);
        } else {
            prefill(n);
        }
        ops.rmsNormGated(
                queue,
                buffers.gatedRows.of(n),
                buffers.resultRows.of(n),
                buffers.gateRows.of(n),
                weights.norm(),
                eps,
                false);
        weights.output().run(ops, queue, rows.delta.of(n), buffers.gated.of(n));
    }

    private void decode(int n) {
        Tensor convolved = buffers.convolved.of(n);
        ops.causalConv1dUpdate(
                queue, convolved, buffers.qkv.of(n), weights.convolution(), null, keptInputs, inputs.states(), true);
        ops.gdnPackedDecode(
                queue,
                buffers.result.of(n),
                convolved,
                buffers.a.of(n),
                buffers.b.of(n),
                weights.aLog(),
                weights.dtBias(),
                keptStates,
                inputs.states(),
                scale,
                UNIT_EPS);
    }

    private void prefill(int n) {
        convolve(n);
        ops.gdnPostConv(
                queue,
                buffers.query.of(n),
                buffers.key.of(n),
                buffers.value.of(n),
                buffers.decay.of(n),
                buffers.beta.of(n),
                buffers.convolved.of(n),
                buffers.a.of(n),
                buffers.b.of(n),
                weights.aLog(),
                weights.dtBias(),
                UNIT_EPS);
        Tensor states = buffers.states.of(inputs.requests());
        ops.gdnStateGather(queue, states, keptStates, inputs.oldStates());
        ops.gdnPrefill(
                queue,
                buffers.result.of(n),
                buffers.query.of(n),
                buffers.key.of(n),
                buffers.value.of(n),
                buffers.decay.of(n),
                buffers.beta.of(n),
                states,
                inputs.queryStart(),
                scale);
        ops.gdnStateScatter(queue, keptStates, states, inputs.states());
    }

    private void convolve(int n) {
        Tensor seen = buffers.inputs.of(inputs.requests());
        ops.gdnStateGather(queue, seen, keptInputs, inputs.oldStates());
        ops.causalConv1dFwd(
                queue,
                buffers.convolved.of(n),
                buffers.qkv.of(n),
                weights.convolution(),
                null,
                seen,
                inputs.queryStart(),
                inputs.continued(),
                true);
        ops.gdnStateScatter(queue, keptInputs, seen, inputs.states());
    }
}
