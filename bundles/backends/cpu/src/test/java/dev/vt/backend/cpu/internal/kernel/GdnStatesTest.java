package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GdnStatesTest {
    private static final int[] SLOTS = {3, -1, 0, 3};

    /** A cache of four slots that are {@code pad} elements apart. */
    private static Tensor cache(DType dtype, int pad, long... row) {
        long each = Arrays.stream(row).reduce(1, (a, b) -> a * b);
        Tensor flat = Data.of(dtype, 4, pad, Data.random(1, 4 * each), 4, each);
        long[] shape = shape(4, row);
        long[] strides = new long[shape.length];
        long step = 1;
        for (int i = shape.length - 1; i > 0; i--) {
            strides[i] = step;
            step *= shape[i];
        }
        strides[0] = each + pad;
        return Tensor.strided(flat.memory(), 4, dtype, shape, strides);
    }

    private static long[] shape(long first, long... row) {
        long[] shape = new long[row.length + 1];
        shape[0] = first;
        System.arraycopy(row, 0, shape, 1, row.length);
        return shape;
    }

    private static double[] slot(double[] values, int each, int slot) {
        return slot < 0 ? new double[each] : Arrays.copyOfRange(values, slot * each, (slot + 1) * each);
    }

    private static Tensor indices() {
        return Data.of(DType.I32, Arrays.stream(SLOTS).asDoubleStream().toArray(), 4);
    }

    @Test
    @DisplayName("gdn_state_gather: ranks, padded slots, both dtypes; a negative index gives zeros")
    void gather() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : List.of(DType.F32, DType.BF16)) {
                for (long[] row : new long[][] {{5}, {3, 4}, {2, 3, 5}, {2, 0}, {1, 5000}}) {
                    Tensor cache = cache(dtype, 3, row);
                    int each = Math.toIntExact(cache.elements() / 4);
                    Tensor state = Data.empty(DType.F32, 0, 0, shape(4, row));
                    GdnStates.gather(queue, state, cache, indices());
                    double[] all = Data.read(cache);
                    double[] got = Data.read(state);
                    for (int n = 0; n < 4; n++) {
                        assertArrayEquals(slot(all, each, SLOTS[n]), slot(got, each, n));
                    }
                    Data.assertOutsideUntouched(state, "state");
                }
            }
        }
    }

    @Test
    @DisplayName(
            "gdn_state_scatter: a negative index is skipped, of two equal ones the last counts, bf16 is rounded once")
    void scatter() {
        for (Queue queue : InlineQueue.all()) {
            for (DType dtype : List.of(DType.F32, DType.BF16)) {
                for (long[] row : new long[][] {{5}, {3, 4}, {2, 3, 5}, {2, 0}}) {
                    Tensor cache = cache(dtype, 2, row);
                    int each = Math.toIntExact(cache.elements() / 4);
                    double[] before = Data.read(cache);
                    Tensor state = Data.of(DType.F32, Data.random(2, 4L * each), shape(4, row));
                    GdnStates.scatter(queue, cache, state, indices());
                    double[] given = Data.read(state);
                    double[] got = Data.read(cache);
                    double bound = dtype == DType.BF16 ? 0x1p-8 : 0;
                    assertArrayEquals(slot(given, each, 2), slot(got, each, 0), bound);
                    assertArrayEquals(slot(given, each, 3), slot(got, each, 3), bound);
                    assertArrayEquals(slot(before, each, 1), slot(got, each, 1));
                    assertArrayEquals(slot(before, each, 2), slot(got, each, 2));
                    Data.assertOutsideUntouched(cache, "cache");
                }
            }
        }
    }

    @Test
    @DisplayName(
            "gdn_state_gather and gdn_state_scatter: an index outside the cache is a fault, and nothing is written")
    void outside() {
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        Tensor cache = cache(DType.F32, 0, 3, 4);
        Tensor state = Data.of(DType.F32, Data.random(2, 48), 4, 3, 4);
        Tensor indices = Data.of(DType.I32, new double[] {0, 1, 4, 2}, 4);
        double[] cached = Data.read(cache);
        double[] given = Data.read(state);
        VtException e = assertThrows(VtException.class, () -> GdnStates.gather(queue, state, cache, indices));
        assertTrue(e.getMessage().endsWith("stateIndices[2]: expected 0 to 3, given 4"), e.getMessage());
        assertThrows(VtException.class, () -> GdnStates.scatter(queue, cache, state, indices));
        assertArrayEquals(cached, Data.read(cache));
        assertArrayEquals(given, Data.read(state));
    }
}
