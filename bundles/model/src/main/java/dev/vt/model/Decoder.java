package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the rows of a step through all layers. What a block computes is added to the residual by the norm that follows
 * it. Queues work, and waits only for the choice of experts where there are some. Owned by a workspace; one thread at a time.
 */
final class Decoder {
    private final Ops ops;
    private final Queue queue;
    private final ModelConfig config;
    private final Weights weights;
    private final StepInputs inputs;
    private final StepBuffers buffers;
    private final List<Block> attention = new ArrayList<>();
    private final List<Block> feedForward = new ArrayList<>();

    Decoder(Ops ops, Queue queue, ModelConfig config, Weights weights, Workspace.Parts parts) {
        this.ops = ops;
        this.queue = queue;
        this.config = config;
        this.weights = weights;
        this.inputs = parts.inputs();
        this.buffers = parts.buffers();
        for (int i = 0; i < config.layers(); i++) {
            LayerWeights layer = weights.layer(i);
            attention.add(attention(layer, i, parts));
            feedForward.add(feedForward(layer, parts));
        }
    }

    /** Half of a layer: reads the normed rows, fills the delta. */
    @FunctionalInterface
    private interface Block {
        void run();
    }

    private Block attention(LayerWeights layer, int index, Workspace.Parts parts) {
        return switch (layer.mixer()) {
            case LayerWeights.Attention full -> new AttentionBlock(ops, queue, config, full, index, parts)::run;
            case LayerWeights.Delta delta -> new DeltaBlock(ops, queue, config, delta, index, parts)::run;
        };
    }

    private Block feedForward(LayerWeights layer, Workspace.Parts parts) {
        return switch (layer.transition()) {
            case LayerWeights.Dense dense -> new FeedForward(ops, queue, dense, parts, buffers.delta)::run;
            case LayerWeights.Experts experts -> new MixtureBlock(ops, queue, config, experts, parts)::run;
        };
    }

    /** Queues the step that the inputs describe; it leaves the wanted logits in the buffers, one row for each. */
    void run() {
        int rows = inputs.rows();
        ops.embedding(queue, buffers.residual.of(rows), weights.embedding(), inputs.ids());
        for (int i = 0; i < config.layers(); i++) {
            LayerWeights layer = weights.layer(i);
            if (i == 0) {
                norm(rows, buffers.residual.of(rows), layer.attentionNorm());
            } else {
                addAndNorm(rows, layer.attentionNorm());
            }
            attention.get(i).run();
            addAndNorm(rows, layer.ffnNorm());
            feedForward.get(i).run();
        }
        if (inputs.logitRows() > 0) {
            addAndNorm(rows, weights.outputNorm());
            weights.output().run(ops, queue, buffers.logits.of(inputs.logitRows()), wantedRows(rows));
        }
    }

    private void norm(int rows, Tensor x, Tensor weight) {
        ops.rmsNorm(queue, buffers.normed.of(rows), x, weight, null, config.rmsEps(), false);
    }

    private void addAndNorm(int rows, Tensor weight) {
        ops.rmsNorm(
                queue,
                buffers.normed.of(rows),
                buffers.delta.of(rows),
                weight,
                buffers.residual.of(rows),
                config.rmsEps(),
                false);
    }

    /** The normed rows whose logits are wanted; an embedding look-up gathers them where they are not all. */
    private Tensor wantedRows(int rows) {
        int wanted = inputs.logitRows();
        if (wanted == rows) {
            return buffers.normed.of(rows);
        }
        Tensor picked = buffers.picked.of(wanted);
        ops.embedding(queue, picked, buffers.normed.of(rows), inputs.logitRowIds());
        return picked;
    }
}
