package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import java.util.Arrays;

/**
 * The gated delta rule for some neighbouring rows of the state of one value head. Rows of a state do not meet, so any
 * choice of them gives the same results. Sums are made in f32, in an order that the length fixes. Has scratch, so one
 * thread's.
 */
final class DeltaBlock {
    private final Rows out;
    private final Rows state;
    private final DeltaInputs inputs;
    private final float scale;
    private final long heads;
    private final long dim;
    private final int width;
    private final float[] q;
    private final float[] k;
    private final float[] v;
    private final float[] sums;
    private final float[] s;

    /** For at most {@code most} rows at a time. */
    DeltaBlock(Tensor out, Tensor state, DeltaInputs inputs, float scale, int most) {
        this.out = Rows.of(out);
        this.state = Rows.flat(state);
        this.inputs = inputs;
        this.scale = scale;
        this.heads = out.dim(1);
        this.dim = out.dim(2);
        this.width = (int) state.dim(3);
        this.q = new float[width];
        this.k = new float[width];
        this.v = new float[most];
        this.sums = new float[most];
        this.s = new float[most * width];
    }

    /** Takes rows {@code first} to {@code first + n} of a head through a step. */
    void run(Steps steps, int step, long head, long first, int n) {
        int slot = steps.slot(step);
        if (slot < 0) {
            Arrays.fill(sums, 0, n, 0f);
        } else if (steps.from(step) < steps.to(step)) {
            state.read(0, at(slot, head, first), n * width, s, 0);
        }
        for (int t = steps.from(step); t < steps.to(step); t++) {
            if (slot >= 0) {
                token(t, head, first, n);
            }
            out.write(t * heads + head, first, n, sums, 0);
        }
        if (slot >= 0 && steps.from(step) < steps.to(step)) {
            state.write(0, at(slot, head, first), n * width, s, 0);
        }
    }

    private long at(long slot, long head, long first) {
        return ((slot * heads + head) * dim + first) * width;
    }

    private void token(long t, long head, long first, int n) {
        inputs.read(t, head, q, k);
        inputs.value(t, head, first, n, v);
        float decay = (float) Math.exp(inputs.g(t, head));
        float beta = inputs.beta(t, head);
        for (int i = 0; i < n; i++) {
            int at = i * width;
            decay(at, decay);
            correct(at, beta * (v[i] - Sums.dot(s, at, k, 0, width)));
            sums[i] = scale * Sums.dot(s, at, q, 0, width);
        }
    }

    private void decay(int at, float decay) {
        for (int j = 0; j < width; j++) {
            s[at + j] *= decay;
        }
    }

    private void correct(int at, float delta) {
        for (int j = 0; j < width; j++) {
            s[at + j] += delta * k[j];
        }
    }
}
