package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Queue;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.tensor.DType;
import dev.vt.ops.Ops;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * All device memory that steps work in, sized for the largest step, the longest sequence and all blocks of the cache;
 * nothing is allocated while steps run. Owned by a generator, which makes a larger one when a request needs it. One
 * thread at a time.
 */
final class Workspace implements AutoCloseable {
    private final Size size;
    private final Parts parts;
    private final Decoder decoder;
    private final Sampler sampler;
    private final TokenReturn tokens;
    private final StepGraphs graphs;
    private final Deque<Runnable> closers = new ArrayDeque<>();

    /**
     * What a workspace can hold.
     *
     * @param rows tokens of a step, those of padding included
     * @param sequences sequences of a step, in the same way
     * @param positions tokens of a sequence
     * @param blocks blocks of the cache
     */
    record Size(int rows, int sequences, int positions, int blocks) {
        boolean holds(Size other) {
            return rows >= other.rows
                    && sequences >= other.sequences
                    && positions >= other.positions
                    && blocks >= other.blocks;
        }

        Size max(Size other) {
            return new Size(
                    Math.max(rows, other.rows),
                    Math.max(sequences, other.sequences),
                    Math.max(positions, other.positions),
                    Math.max(blocks, other.blocks));
        }
    }

    /**
     * What the blocks of a decoder share; states and their buffers where the model has linear attention, and buffers of experts where
     * it is a mixture.
     */
    record Parts(
            StepInputs inputs,
            StepBuffers buffers,
            KvCache cache,
            RopeTable rope,
            @Nullable DeltaStates states,
            @Nullable DeltaBuffers deltaBuffers,
            @Nullable MixtureBuffers mixtureBuffers) {}

    /** What a workspace is made for, and what it makes its calls with. */
    record Owner(
            Backend backend,
            OpRegistry registry,
            ExecutionContext context,
            Ops ops,
            Queue queue,
            ModelConfig config,
            Weights weights,
            ModelOptions options) {}

    Workspace(Owner owner, Size size) {
        this.size = size;
        Backend backend = owner.backend();
        Ops ops = owner.ops();
        Queue queue = owner.queue();
        ModelConfig config = owner.config();
        Weights weights = owner.weights();
        DType dtype = weights.activations();
        try {
            StepInputs inputs =
                    new StepInputs(backend, size.rows(), size.sequences(), KvCache.blocksFor(size.positions()));
            closers.push(inputs::close);
            StepBuffers buffers = new StepBuffers(backend, config, dtype, size.rows(), size.sequences());
            closers.push(buffers::close);
            KvCache cache = new KvCache(backend, config, dtype, size.blocks());
            closers.push(cache::close);
            RopeTable rope = new RopeTable(backend, ops, queue, config, weights.ropeFactors(), size.positions());
            closers.push(rope::close);
            LinearAttention linear = config.linear();
            DeltaStates states =
                    linear == null ? null : new DeltaStates(backend, linear, config.layers(), size.sequences());
            if (states != null) {
                closers.push(states::close);
            }
            DeltaBuffers deltaBuffers =
                    linear == null ? null : new DeltaBuffers(backend, linear, size.rows(), size.sequences());
            if (deltaBuffers != null) {
                closers.push(deltaBuffers::close);
            }
            Mixture mixture = config.mixture();
            MixtureBuffers mixtureBuffers =
                    mixture == null ? null : new MixtureBuffers(backend, mixture, config.width(), size.rows());
            if (mixtureBuffers != null) {
                closers.push(mixtureBuffers::close);
            }
            parts = new Parts(inputs, buffers, cache, rope, states, deltaBuffers, mixtureBuffers);
            sampler = new Sampler(backend, ops, queue, config.vocabulary(), size.sequences(), parts);
            closers.push(sampler::close);
            tokens = new TokenReturn(
                    backend,
                    queue,
                    inputs.chosen(),
                    size.sequences(),
                    owner.options().ahead());
            closers.push(tokens::close);
            graphs = new StepGraphs(
                    owner.registry(), owner.context(), queue, owner.options().graphs());
            closers.push(graphs::close);
            decoder = new Decoder(ops, queue, config, weights, parts);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    Size size() {
        return size;
    }

    StepInputs inputs() {
        return parts.inputs();
    }

    StepBuffers buffers() {
        return parts.buffers();
    }

    KvCache cache() {
        return parts.cache();
    }

    /** The states of linear attention, or null. */
    @Nullable
    DeltaStates states() {
        return parts.states();
    }

    Decoder decoder() {
        return decoder;
    }

    Sampler sampler() {
        return sampler;
    }

    TokenReturn tokens() {
        return tokens;
    }

    StepGraphs graphs() {
        return graphs;
    }

    @Override
    public void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
    }
}
