package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;

/**
 * The activations of linear attention in a step, in one block of device memory that holds the largest step. All f32. Owned
 * by a workspace; one thread at a time.
 */
final class DeltaBuffers implements AutoCloseable {
    private final Memory memory;
    /** Query, key and value as the projection writes them, [T, channels]. */
    final FirstRows qkv;
    /** The same behind the convolution. */
    final FirstRows convolved;
    /** b and a as the projection writes them, [T, 2 * value heads]. */
    final FirstRows betaAlpha;
    /** b, [T, value heads]. */
    final FirstRows b;
    /** a, [T, value heads]. */
    final FirstRows a;
    /** b as heads of the split, [T, key heads, value heads / key heads]. */
    final FirstRows bHeads;
    /** a likewise. */
    final FirstRows aHeads;
    /** [T, key heads, key size], of length 1. */
    final FirstRows query;
    /** As the query. */
    final FirstRows key;
    /** [T, value heads, value size]. */
    final FirstRows value;
    /** The logarithm of the decay, [T, value heads]. */
    final FirstRows decay;
    /** How much of a value is written, [T, value heads]. */
    final FirstRows beta;
    /** What the delta rule gives, [T, value heads, value size]. */
    final FirstRows result;
    /** The same as one row for each head, counted in tokens. */
    final FirstRows resultRows;
    /** What the result is gated by, [T, value heads * value size]. */
    final FirstRows gate;
    /** The same as one row for each head, counted in tokens. */
    final FirstRows gateRows;
    /** The normed and gated result as one row for each head, counted in tokens. */
    final FirstRows gatedRows;
    /** The same, [T, value heads * value size]. */
    final FirstRows gated;
    /** Inputs of the convolution of the sequences of a step, [S, channels, taps - 1]. */
    final FirstRows inputs;
    /** States of the sequences of a step, [S, value heads, value size, key size]. */
    final FirstRows states;

    DeltaBuffers(Backend backend, LinearAttention linear, int maxRows, int maxSequences) {
        int heads = linear.valueHeads();
        int values = linear.valueWidth();
        Regions regions = new Regions();
        long qkvAt = regions.add(DType.F32, maxRows, linear.channels());
        long convolvedAt = regions.add(DType.F32, maxRows, linear.channels());
        long betaAlphaAt = regions.add(DType.F32, maxRows, 2L * heads);
        long bAt = regions.add(DType.F32, maxRows, heads);
        long aAt = regions.add(DType.F32, maxRows, heads);
        long queryAt = regions.add(DType.F32, maxRows, linear.keyWidth());
        long keyAt = regions.add(DType.F32, maxRows, linear.keyWidth());
        long valueAt = regions.add(DType.F32, maxRows, values);
        long decayAt = regions.add(DType.F32, maxRows, heads);
        long betaAt = regions.add(DType.F32, maxRows, heads);
        long resultAt = regions.add(DType.F32, maxRows, values);
        long gateAt = regions.add(DType.F32, maxRows, values);
        long gatedAt = regions.add(DType.F32, maxRows, values);
        long inputsAt = regions.add(DType.F32, maxSequences, linear.channels(), linear.taps() - 1);
        long statesAt = regions.add(DType.F32, maxSequences, heads, linear.valueSize(), linear.keySize());
        memory = backend.allocate(regions.size());
        qkv = rows(qkvAt, maxRows, linear.channels());
        convolved = rows(convolvedAt, maxRows, linear.channels());
        betaAlpha = rows(betaAlphaAt, maxRows, 2L * heads);
        b = rows(bAt, maxRows, heads);
        a = rows(aAt, maxRows, heads);
        bHeads = rows(bAt, maxRows, linear.keyHeads(), heads / linear.keyHeads());
        aHeads = rows(aAt, maxRows, linear.keyHeads(), heads / linear.keyHeads());
        query = rows(queryAt, maxRows, linear.keyHeads(), linear.keySize());
        key = rows(keyAt, maxRows, linear.keyHeads(), linear.keySize());
        value = rows(valueAt, maxRows, heads, linear.valueSize());
        decay = rows(decayAt, maxRows, heads);
        beta = rows(betaAt, maxRows, heads);
        result = rows(resultAt, maxRows, heads, linear.valueSize());
        resultRows = headRows(resultAt, maxRows, linear);
        gate = rows(gateAt, maxRows, values);
        gateRows = headRows(gateAt, maxRows, linear);
        gatedRows = headRows(gatedAt, maxRows, linear);
        gated = rows(gatedAt, maxRows, values);
        inputs = rows(inputsAt, maxSequences, linear.channels(), linear.taps() - 1);
        states = rows(statesAt, maxSequences, heads, linear.valueSize(), linear.keySize());
    }

    private FirstRows rows(long offset, long... shape) {
        return new FirstRows(Tensor.of(memory, offset, DType.F32, shape));
    }

    private FirstRows headRows(long offset, int maxRows, LinearAttention linear) {
        long rows = (long) maxRows * linear.valueHeads();
        return new FirstRows(Tensor.of(memory, offset, DType.F32, rows, linear.valueSize()), linear.valueHeads());
    }

    @Override
    public void close() {
        memory.close();
    }
}
