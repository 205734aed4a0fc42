package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.DType;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;

/** The steps of a chain on one row after the other. Holds the rows of the slots; belongs to one thread. */
final class ChainRow {
    private final Chain chain;
    private final float[][] slots = new float[Chain.SLOTS][];
    private final DType[] dtypes = new DType[Chain.SLOTS];
    private final float[] gemma;
    private final float[] result;
    private final float eps;

    /** Rows of {@code n} elements; what goes to {@code out} and {@code residual} is rounded to these dtypes. */
    ChainRow(Chain chain, int n, float eps, DType out, DType residual) {
        this.chain = chain;
        this.eps = eps;
        for (int i = 0; i < Chain.SLOTS; i++) {
            boolean temporary = i >= Chain.TEMPORARY
                    && i - Chain.TEMPORARY < chain.temporaries().size();
            slots[i] = i < Chain.TEMPORARY || temporary ? new float[n] : new float[0];
            dtypes[i] = temporary ? chain.temporaries().get(i - Chain.TEMPORARY) : out;
        }
        dtypes[Chain.RESIDUAL] = residual;
        gemma = new float[n];
        result = new float[n];
    }

    /** The row of a slot, to be filled or read. */
    float[] slot(int i) {
        return slots[i];
    }

    /** To be called once the weight's slot is filled. */
    void prepare() {
        for (int i = 0; i < gemma.length; i++) {
            gemma[i] = slots[Chain.WEIGHT][i] + 1f;
        }
    }

    void run() {
        for (FusedStep step : chain.steps()) {
            compute(step);
            int to = step.outputs().getFirst();
            if (dtypes[to] == DType.BF16) {
                Rows.roundBf16(result);
            }
            System.arraycopy(result, 0, slots[to], 0, result.length);
        }
    }

    private void compute(FusedStep step) {
        float[] a = slots[step.inputs().getFirst()];
        float[] b = slots[step.inputs().getLast()];
        switch (step.code()) {
            case ADD -> {
                for (int i = 0; i < a.length; i++) {
                    result[i] = a[i] + b[i];
                }
            }
            case MUL -> {
                for (int i = 0; i < a.length; i++) {
                    result[i] = a[i] * b[i];
                }
            }
            case RMS_NORM -> {
                System.arraycopy(a, 0, result, 0, a.length);
                boolean plain = step.form() == FusedStep.Form.PLAIN;
                RmsNormKernel.normalise(result, plain ? slots[Chain.WEIGHT] : gemma, eps);
            }
            default -> activate(step, a, b);
        }
    }

    private void activate(FusedStep step, float[] a, float[] b) {
        for (int i = 0; i < a.length; i++) {
            result[i] = switch (step.code()) {
                case SILU -> GatedKernel.silu(a[i]);
                case SIGMOID -> GatedKernel.sigmoid(a[i]);
                case SILU_MUL -> GatedKernel.silu(a[i]) * b[i];
                case SIGMOID_GATE -> SigmoidGateKernel.gated(a[i], b[i]);
                default -> throw new IllegalStateException("a chain has no " + step.code());
            };
        }
    }
}
