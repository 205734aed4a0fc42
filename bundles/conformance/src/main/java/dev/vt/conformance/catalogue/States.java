package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Floats;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.ops.OpTable;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** States that are carried from token to token: {@code gdn_state_gather}, {@code gdn_state_scatter}, and whose they are. */
final class States {
    private States() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.GDN_STATE_GATHER, "SxNxRxC")
                        .dtypes(Dtypes.STORED)
                        .variants("", "slot outside")
                        .quick("3x2x4x8", "7x5x3x33")
                        .full("3x0x4x8", "1x1x1x1", "2x3x0x5", "2x3x5x0", "9x4x31x127", "2x3x128x128", "3x2x1x4099")
                        .makes(States::gather),
                OpSpec.of(OpTable.GDN_STATE_SCATTER, "SxNxRxC")
                        .dtypes(Dtypes.STORED)
                        .variants("", "slot outside")
                        .quick("3x2x4x8", "7x5x3x33")
                        .full("3x0x4x8", "1x1x1x1", "2x3x0x5", "2x3x5x0", "9x4x31x127", "2x3x128x128", "3x2x1x4099")
                        .makes(States::scatter));
    }

    /** Some slots, one of them twice, none of them, and for a bad call one that is not there. */
    private static Operand indices(Draft d, int n, int slots) {
        boolean bad = d.variant() == 1 && n > 0;
        if (bad) {
            d.fails("stateIndices[" + (n - 1) + "]");
        }
        return d.integers(
                "stateIndices",
                DType.I32,
                i -> bad && i == n - 1
                        ? slots
                        : i % 3 == 1 ? -1 - i : i == 2 ? 0 : d.random().nextInt(slots),
                n);
    }

    private static void gather(Draft d) {
        int slots = d.dim(0);
        int n = d.dim(1);
        int each = d.dim(2) * d.dim(3);
        Operand state = d.out("state", DType.F32, n, d.dim(2), d.dim(3));
        Operand cache = d.normal("cache", d.dtype(), slots, d.dim(2), d.dim(3)).mayPad();
        Operand indices = indices(d, n, slots);
        state.expect(() -> {
            double[] y = new double[n * each];
            for (int i = 0; i < n; i++) {
                int slot = (int) indices.integers()[i];
                if (slot >= 0) {
                    System.arraycopy(cache.values(), slot * each, y, i * each, each);
                }
            }
            return Expected.exact(y);
        });
        d.touching((4L + d.dtype().elementBytes()) * n * each);
        d.call((ops, q, t) -> ops.gdnStateGather(q, t[0], t[1], t[2]));
    }

    private static void scatter(Draft d) {
        int slots = d.dim(0);
        int n = d.dim(1);
        int each = d.dim(2) * d.dim(3);
        Operand cache = d.normal("cache", d.dtype(), slots, d.dim(2), d.dim(3)).mayPad();
        Operand state = d.normal("state", DType.F32, n, d.dim(2), d.dim(3));
        Operand indices = indices(d, n, slots);
        cache.expect(() -> {
            double[] y = cache.values().clone();
            for (int i = 0; i < n; i++) {
                int slot = (int) indices.integers()[i];
                for (int j = 0; slot >= 0 && j < each; j++) {
                    y[slot * each + j] = Floats.rounded(d.dtype(), state.values()[i * each + j]);
                }
            }
            return Expected.exact(y);
        });
        d.touching((4L + d.dtype().elementBytes()) * n * each);
        d.call((ops, q, t) -> ops.gdnStateScatter(q, t[0], t[1], t[2]));
    }

    /**
     * Which state the tokens from {@code starts[i]} to {@code starts[i + 1]} work on.
     *
     * @param slots a negative one is none
     * @param operand the operand that says it, or null when it goes without saying
     * @param tokens how many there are
     */
    record Steps(int[] slots, int[] starts, @Nullable Operand operand, int tokens) {
        int count() {
            return slots.length;
        }

        int slot(int step) {
            return slots[step];
        }

        int from(int step) {
            return starts[step];
        }

        int to(int step) {
            return starts[step + 1];
        }

        /** The elements of rows that belong to no step. */
        BitSet untouched(int width, int elements) {
            BitSet none = new BitSet();
            none.set(0, elements);
            if (count() > 0) {
                none.clear(starts[0] * width, starts[count()] * width);
            }
            return none;
        }
    }

    /** Sequences of random lengths, some of them empty, over all but perhaps the last rows. */
    static Steps sequences(Draft d, int n, int tokens, boolean outside) {
        int[] starts = new int[n + 1];
        for (int i = 1; i <= n; i++) {
            starts[i] = i == n && n % 2 == 1 ? tokens : d.random().nextInt(tokens + 1);
        }
        Arrays.sort(starts);
        long[] given = Arrays.stream(starts).asLongStream().toArray();
        if (outside) {
            given[n] = n % 2 == 0 ? -1 : tokens + 1L;
            d.fails("queryStartLoc[" + n + "]");
        }
        int[] slots = new int[n];
        Arrays.setAll(slots, i -> i);
        Operand operand = d.integers("queryStartLoc", DType.I32, i -> given[(int) i], n + 1);
        return new Steps(slots, starts, operand, tokens);
    }

    /** One token each: in state b (form 0), in some slot or none (1), in slots that stand twice (2), in one that is not there (3). */
    static Steps slots(Draft d, int rows, int slots, int form) {
        int[] chosen = new int[rows];
        int[] order = d.shuffled(slots);
        for (int b = 0; b < rows; b++) {
            chosen[b] = form == 0 ? b : form == 2 ? order[b / 2] : b % 4 == 1 ? -1 - b : order[b];
        }
        int[] starts = new int[rows + 1];
        Arrays.setAll(starts, i -> i);
        if (form == 3 && rows > 0) {
            chosen[rows - 1] = slots;
            d.fails("stateIndices[" + (rows - 1) + "]");
        }
        Operand operand = form == 0 ? null : d.integers("stateIndices", DType.I32, i -> chosen[(int) i], rows);
        return new Steps(chosen, starts, operand, rows);
    }
}
