package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuWorkers;
import java.util.Arrays;

/**
 * Weighted sums of expert outputs, for {@code moe_combine} and {@code moe_combine_gate}: in f32, in the order of the experts, then
 * the shared term. Holds only views.
 */
final class ExpertSum {
    private final Rows out;
    private final Rows experts;
    private final Rows weights;
    private final int perToken;

    ExpertSum(Tensor out, Tensor expertOut, Tensor weights) {
        this.out = Rows.of(out);
        this.experts = Rows.of(expertOut);
        this.weights = Rows.of(weights);
        this.perToken = (int) this.weights.cols();
    }

    /** Reads {@code n} elements of the shared term of a row from column {@code col} on. */
    @FunctionalInterface
    interface SharedTerm {
        /** Adds 0, which leaves a sum as it is. */
        SharedTerm NONE = (row, col, n, to) -> Arrays.fill(to, 0, n, 0f);

        void read(long row, long col, int n, float[] to);
    }

    void run(CpuWorkers workers, SharedTerm shared) {
        workers.forRange(out.rows() * out.cols(), Work.grain(2.0 + perToken), (begin, end) -> {
            float[] sum = Elementwise.scratch(begin, end);
            float[] term = Elementwise.scratch(begin, end);
            Elementwise.pieces(out.cols(), begin, end, (row, col, n) -> {
                Arrays.fill(sum, 0, n, 0f);
                for (int k = 0; k < perToken; k++) {
                    experts.read(row * perToken + k, col, n, term, 0);
                    Sums.addScaled(sum, term, weights.get(row, k), n);
                }
                shared.read(row, col, n, term);
                Sums.addScaled(sum, term, 1f, n);
                out.write(row, col, n, sum, 0);
            });
        });
    }
}
