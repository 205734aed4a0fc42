package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;

/**
 * The feed-forward half of a layer: from the normed rows of a step to what it adds to the residual. Gate and up are
 * written side by side into one buffer, as {@code silu_and_mul} reads them. Queues work, never waits. Owned by a
 * decoder; one thread at a time.
 */
final class FeedForward {
    private final Ops ops;
    private final Queue queue;
    private final LayerWeights weights;
    private final StepInputs inputs;
    private final StepBuffers buffers;

    FeedForward(Ops ops, Queue queue, LayerWeights weights, Workspace.Parts parts) {
        this.ops = ops;
        this.queue = queue;
        this.weights = weights;
        this.inputs = parts.inputs();
        this.buffers = parts.buffers();
    }

    /** Reads the normed rows, fills the delta. */
    void run() {
        int rows = inputs.rows();
        Tensor normed = buffers.normed.of(rows);
        weights.gate().run(ops, queue, buffers.gate.of(rows), normed);
        weights.up().run(ops, queue, buffers.up.of(rows), normed);
        Tensor gated = buffers.gated.of(rows);
        ops.siluAndMul(queue, gated, buffers.gateUp.of(rows));
        weights.down().run(ops, queue, buffers.delta.of(rows), gated);
    }
}
