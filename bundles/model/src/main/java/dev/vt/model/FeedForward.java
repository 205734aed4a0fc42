package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;

/**
 * A feed-forward part that all rows of a step go through, from the normed rows to what comes of them. Gate and up are
 * written side by side into one buffer, as {@code silu_and_mul} reads them. Queues work, never waits. Owned by a
 * decoder; one thread at a time.
 */
final class FeedForward {
    private final Ops ops;
    private final Queue queue;
    private final LayerWeights.Dense weights;
    private final StepInputs inputs;
    private final StepBuffers buffers;
    private final FirstRows out;

    /** A part that writes to the first rows of {@code out}, [T,H]. */
    FeedForward(Ops ops, Queue queue, LayerWeights.Dense weights, Workspace.Parts parts, FirstRows out) {
        this.ops = ops;
        this.queue = queue;
        this.weights = weights;
        this.inputs = parts.inputs();
        this.buffers = parts.buffers();
        this.out = out;
    }

    /** Reads the normed rows, fills the output. */
    void run() {
        int rows = inputs.rows();
        Tensor normed = buffers.normed.of(rows);
        if (weights.gateUp() != null) {
            weights.gateUp().run(ops, queue, buffers.gateUp.of(rows), normed);
        } else {
            weights.gate().run(ops, queue, buffers.gate.of(rows), normed);
            weights.up().run(ops, queue, buffers.up.of(rows), normed);
        }
        Tensor gated = buffers.gated.of(rows);
        ops.siluAndMul(queue, gated, buffers.gateUp.of(rows));
        weights.down().run(ops, queue, out.of(rows), gated);
    }
}
