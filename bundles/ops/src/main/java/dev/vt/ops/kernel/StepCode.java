package dev.vt.ops.kernel;

/** What one step of a fused recipe does. */
public enum StepCode {
    /** out = a + b. */
    ADD(1, 2, 0, true),
    /** out = a * b. */
    MUL(1, 2, 0, true),
    /** out = silu(a). */
    SILU(1, 1, 0, true),
    /** out = sigmoid(a). */
    SIGMOID(1, 1, 0, true),
    /** out = rms_norm(a) by a weight. */
    RMS_NORM(1, 1, 1, true),
    /** out = silu(a) * b. */
    SILU_MUL(1, 2, 0, true),
    /** out = a * sigmoid(b). */
    SIGMOID_GATE(1, 2, 0, true),
    /** out = rms_norm(a) by a weight, times silu(b) or sigmoid(b). */
    GATED_RMS_NORM(1, 2, 1, false),
    /** Rotates two tensors in place, by a table and positions. */
    ROPE(2, 2, 0, false),
    /** out = e4m3(a / scale). */
    QUANT_FP8(1, 1, 0, false),
    /** packed and scale of a. */
    QUANT_FP4(2, 1, 0, false),
    /** q, k and gate of attention from merged q and gate, k and a table, by two weights. */
    QK_NORM_ROPE_GATE(3, 3, 2, false);

    private final int outputs;
    private final int inputs;
    private final int weights;
    private final boolean chained;

    StepCode(int outputs, int inputs, int weights, boolean chained) {
        this.outputs = outputs;
        this.inputs = inputs;
        this.weights = weights;
        this.chained = chained;
    }

    /** How many tensors it writes. */
    public int outputs() {
        return outputs;
    }

    /** How many tensors it reads, weights apart; 3 at most. */
    public int inputs() {
        return inputs;
    }

    /** How many weights it takes. */
    public int weights() {
        return weights;
    }

    /** True when a row of its result depends on that row of its inputs alone, so that {@code fused_chain} can run it. */
    public boolean chained() {
        return chained;
    }
}
