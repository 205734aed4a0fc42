package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import dev.vt.ops.kernel.RouterParams;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The feed-forward half of a layer as a mixture of experts: the router chooses, the rows are gathered in the order of their experts,
 * each expert that was chosen makes its products over its rows, and the results are weighed and added up. Queues work, and waits once
 * for what the router chose: which products there are depends on it. Owned by a decoder; one thread at a time.
 */
final class MixtureBlock {
    private final Ops ops;
    private final Queue queue;
    private final LayerWeights.Experts weights;
    private final Mixture mixture;
    private final StepInputs inputs;
    private final StepBuffers rows;
    private final MixtureBuffers buffers;
    private final @Nullable FeedForward shared;

    MixtureBlock(Ops ops, Queue queue, ModelConfig config, LayerWeights.Experts weights, Workspace.Parts parts) {
        this.ops = ops;
        this.queue = queue;
        this.weights = weights;
        this.mixture = Objects.requireNonNull(config.mixture());
        this.inputs = parts.inputs();
        this.rows = parts.buffers();
        this.buffers = Objects.requireNonNull(parts.mixtureBuffers());
        this.shared =
                weights.shared() == null ? null : new FeedForward(ops, queue, weights.shared(), parts, buffers.shared);
    }

    /** Reads the normed rows, fills the delta. */
    void run() {
        int n = inputs.rows();
        Tensor normed = rows.normed.of(n);
        weights.router().run(ops, queue, buffers.logits.of(n), normed);
        ops.moeRouterTopK(
                queue,
                buffers.weights.of(n),
                buffers.indices.of(n),
                buffers.logits.of(n),
                weights.bias(),
                mixture.router());
        // What does not depend on the choice is queued before the wait.
        if (shared != null) {
            shared.run();
        }
        buffers.order.sort(queue, buffers.indices.of(n));
        experts(n * mixture.used(), normed);
        combine(n);
    }

    private void experts(int pairs, Tensor normed) {
        ops.embedding(queue, buffers.gathered.of(pairs), normed, buffers.order.tokens(pairs));
        for (int e = 0; e < mixture.experts(); e++) {
            int from = buffers.order.start(e);
            int to = buffers.order.start(e + 1);
            if (from < to) {
                Tensor own = part(buffers.gathered, from, to);
                weights.experts().get(e).gate().run(ops, queue, part(buffers.gate, from, to), own);
                weights.experts().get(e).up().run(ops, queue, part(buffers.up, from, to), own);
            }
        }
        ops.moeSiluMul(queue, buffers.gated.of(pairs), buffers.gate.of(pairs), buffers.up.of(pairs));
        for (int e = 0; e < mixture.experts(); e++) {
            int from = buffers.order.start(e);
            int to = buffers.order.start(e + 1);
            if (from < to) {
                Tensor results = part(buffers.results, from, to);
                weights.experts().get(e).down().run(ops, queue, results, part(buffers.gated, from, to));
            }
        }
        ops.embedding(queue, buffers.rows.of(pairs), buffers.results.of(pairs), buffers.order.places(pairs));
    }

    private static Tensor part(FirstRows buffer, int from, int to) {
        return buffer.whole().rows(from, to);
    }

    private void combine(int n) {
        Tensor ofTokens = buffers.ofTokens.of(n);
        Tensor scores = buffers.weights.of(n);
        Projection gate = weights.sharedGate();
        if (shared == null) {
            ops.moeCombine(queue, rows.delta.of(n), ofTokens, scores, null);
        } else if (gate == null) {
            ops.moeCombine(queue, rows.delta.of(n), ofTokens, scores, buffers.shared.of(n));
        } else {
            ops.moeCombine(queue, buffers.combined.of(n), ofTokens, scores, null);
            addGated(n, gate);
        }
    }

    /**
     * Adds the shared expert with the sigmoid of its gate as its weight: a mixture of one expert, routed by a sigmoid. Unlike
     * {@code moe_combine_gate} it does not round to bf16, which would be the largest error of the layer.
     */
    private void addGated(int n, Projection gate) {
        Tensor weight = buffers.sharedWeights.of(n);
        gate.run(ops, queue, buffers.sharedLogits.of(n), rows.normed.of(n));
        ops.moeRouterTopK(
                queue,
                weight,
                buffers.sharedIndices.of(n),
                buffers.sharedLogits.of(n),
                null,
                RouterParams.sigmoid(false));
        ops.moeCombine(queue, rows.delta.of(n), buffers.sharedOfTokens.of(n), weight, buffers.combined.of(n));
    }
}
