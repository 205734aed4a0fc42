package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;

/**
 * The activations of a mixture of experts in a step, in one block of device memory that holds the largest step; T tokens, K experts of
 * a token, P = T * K. All f32 but indexes. Owned by a workspace; one thread at a time.
 */
final class MixtureBuffers implements AutoCloseable {
    private final Memory memory;
    /** [T, E]. */
    final FirstRows logits;
    /** [T, K]. */
    final FirstRows weights;
    /** [T, K] i32. */
    final FirstRows indices;
    /** The normed rows in the order of their experts, [P, H]. */
    final FirstRows gathered;
    /** Of the gathered rows, [P, F]. */
    final FirstRows gate;
    /** As the gate. */
    final FirstRows up;
    /** silu(gate) * up, [P, F]. */
    final FirstRows gated;
    /** What the experts give for the gathered rows, [P, H]. */
    final FirstRows results;
    /** The same in the order of the tokens, [P, H]. */
    final FirstRows rows;
    /** The same, [T, K, H]. */
    final FirstRows ofTokens;
    /** The weighted sum, where a shared expert is still to be added, [T, H]. */
    final FirstRows combined;
    /** What the shared expert gives, [T, H]. */
    final FirstRows shared;
    /** The same as the one expert of each token, [T, 1, H]. */
    final FirstRows sharedOfTokens;
    /** [T, 1]. */
    final FirstRows sharedLogits;
    /** The sigmoid of it, [T, 1]. */
    final FirstRows sharedWeights;
    /** Always 0, [T, 1] i32. */
    final FirstRows sharedIndices;

    /** Who goes to whom. */
    final ExpertOrder order;

    MixtureBuffers(Backend backend, Mixture mixture, int width, int maxRows) {
        int k = mixture.used();
        long pairs = Math.multiplyExact((long) maxRows, k);
        int sharedWidth = mixture.shared() ? width : 0;
        Regions regions = new Regions();
        long logitsAt = regions.add(DType.F32, maxRows, mixture.experts());
        long weightsAt = regions.add(DType.F32, maxRows, k);
        long indicesAt = regions.add(DType.I32, maxRows, k);
        long gatheredAt = regions.add(DType.F32, pairs, width);
        long gateAt = regions.add(DType.F32, pairs, mixture.width());
        long upAt = regions.add(DType.F32, pairs, mixture.width());
        long gatedAt = regions.add(DType.F32, pairs, mixture.width());
        long resultsAt = regions.add(DType.F32, pairs, width);
        long rowsAt = regions.add(DType.F32, pairs, width);
        long combinedAt = regions.add(DType.F32, maxRows, sharedWidth);
        long sharedAt = regions.add(DType.F32, maxRows, sharedWidth);
        long sharedLogitsAt = regions.add(DType.F32, maxRows, 1);
        long sharedWeightsAt = regions.add(DType.F32, maxRows, 1);
        long sharedIndicesAt = regions.add(DType.I32, maxRows, 1);
        order = new ExpertOrder(backend, mixture.experts(), Math.toIntExact(pairs));
        memory = allocate(backend, regions.size());
        logits = rows(logitsAt, DType.F32, maxRows, mixture.experts());
        weights = rows(weightsAt, DType.F32, maxRows, k);
        indices = rows(indicesAt, DType.I32, maxRows, k);
        gathered = rows(gatheredAt, DType.F32, pairs, width);
        gate = rows(gateAt, DType.F32, pairs, mixture.width());
        up = rows(upAt, DType.F32, pairs, mixture.width());
        gated = rows(gatedAt, DType.F32, pairs, mixture.width());
        results = rows(resultsAt, DType.F32, pairs, width);
        rows = rows(rowsAt, DType.F32, pairs, width);
        ofTokens = rows(rowsAt, DType.F32, maxRows, k, width);
        combined = rows(combinedAt, DType.F32, maxRows, sharedWidth);
        shared = rows(sharedAt, DType.F32, maxRows, sharedWidth);
        sharedOfTokens = rows(sharedAt, DType.F32, maxRows, 1, sharedWidth);
        sharedLogits = rows(sharedLogitsAt, DType.F32, maxRows, 1);
        sharedWeights = rows(sharedWeightsAt, DType.F32, maxRows, 1);
        sharedIndices = rows(sharedIndicesAt, DType.I32, maxRows, 1);
    }

    private Memory allocate(Backend backend, long bytes) {
        try {
            return backend.allocate(bytes);
        } catch (RuntimeException e) {
            order.close();
            throw e;
        }
    }

    private FirstRows rows(long offset, DType dtype, long... shape) {
        return new FirstRows(Tensor.of(memory, offset, dtype, shape));
    }

    @Override
    public void close() {
        order.close();
        memory.close();
    }
}
