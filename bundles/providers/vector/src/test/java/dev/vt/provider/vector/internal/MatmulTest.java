package dev.vt.provider.vector.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Graph;
import dev.vt.api.device.StaleGraphException;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Matmul;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MatmulTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> OUTS = List.of(DType.F32, DType.BF16);
    private static final int LANES = Lanes.COUNT;

    private final Matmul matmul = kernel(OpTable.MATMUL);
    private final Matmul matmulBt = kernel(OpTable.MATMUL_BT);
    private final Matmul quant = kernel(OpTable.MATMUL_BT_QUANT);

    private static Matmul kernel(dev.vt.api.op.Op<Matmul> op) {
        return Objects.requireNonNull(new VectorProvider().kernels().get(op));
    }

    @Test
    @DisplayName("O4.11 O4.12 matmul and matmul_bt are right for awkward sizes, empty ones too, and every pair of "
            + "float types")
    void sizes() {
        int[] ms = {0, 1, 2, 3, 4, 5, 9, 50};
        int[] ns = {0, 1, 3, 4, 5, 15, 16, 17, 37};
        int[] ks = {0, 1, LANES - 1, LANES, LANES + 1, 2 * LANES + 3, 97};
        try (Matrices x = new Matrices(2, 1 << 17)) {
            int turn = 0;
            for (int m : ms) {
                for (int n : ns) {
                    for (int k : ks) {
                        DType a = FLOATS.get(turn % 3);
                        DType b = FLOATS.get(turn / 3 % 3);
                        DType out = OUTS.get(turn / 9 % 2);
                        turn++;
                        product(x, m, n, k, a, b, out);
                    }
                }
            }
            for (int i = 0; i < 18; i++) {
                product(x, 7, 19, 53, FLOATS.get(i % 3), FLOATS.get(i / 3 % 3), OUTS.get(i / 9));
            }
        }
    }

    private void product(Matrices x, int m, int n, int k, DType a, DType b, DType out) {
        Tensor left = x.matrix(1, 64, a, m, k, 0);
        x.check(matmulBt, true, x.result(64, out, m, n, 0), left, x.matrix(2, 64, b, n, k, 0));
        x.check(matmul, false, x.result(64, out, m, n, 0), left, x.matrix(2, 64, b, k, n, 0));
    }

    @Test
    @DisplayName("O4.10 views at offsets 0, 4, 8, 60 and 64 with padded rows give the same as dense ones, and gaps "
            + "stay as they are")
    void views() {
        try (Matrices x = new Matrices(2, 1 << 17)) {
            for (int offset : new int[] {0, 4, 8, 60, 64}) {
                for (int padding : new int[] {0, 1, 5, 16}) {
                    for (int m : new int[] {1, 3, 6, 21}) {
                        for (DType type : FLOATS) {
                            Tensor a = x.matrix(1, offset, type, m, 45, padding);
                            Tensor b = x.matrix(2, offset, type, 23, 45, 0);
                            x.check(matmulBt, true, x.result(offset, OUTS.get(padding % 2), m, 23, padding), a, b);
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"Q8_0", "Q4_0", "Q4_K", "Q6_K"})
    @DisplayName("O4.12 block formats are right for K from one block up in single blocks to five tiles, at any offset")
    void blocks(DType type) {
        int unit = type.blockElements();
        int last = Math.max(5, 5 * Tiles.SIDE * LANES / unit);
        try (Matrices x = new Matrices(2, 1 << 18)) {
            for (int m : new int[] {1, 2, Tiles.SIDE - 1, Tiles.SIDE, Tiles.SIDE + 1, 50}) {
                for (int blocks = 1; blocks <= last; blocks++) {
                    int k = blocks * unit;
                    int offset = blocks % 3 * 2;
                    Tensor a = x.matrix(1, 4 * (blocks % 2), FLOATS.get(blocks % 3), m, k, blocks % 2 * 3);
                    Tensor b = x.matrix(2, offset, type, 21, k, 0);
                    x.check(quant, true, x.result(60, OUTS.get(m % 2), m, 21, 2), a, b);
                }
            }
            Tensor emptyA = x.matrix(1, 0, DType.F32, 3, 0, 0);
            x.check(quant, true, x.result(0, DType.F32, 3, 5, 0), emptyA, x.matrix(2, 0, type, 5, 0, 0));
        }
    }

    @Test
    @DisplayName("O4.12 an element has the same bits for any number of threads and any number of rows of a")
    void sameBits() {
        for (DType type : List.of(DType.F32, DType.BF16, DType.Q8_0, DType.Q4_0, DType.Q4_K)) {
            sameBits(type, 512);
            if (!type.isBlock()) {
                sameBits(type, 509);
            }
        }
    }

    private void sameBits(DType type, int k) {
        byte[] first = null;
        for (int threads : new int[] {1, 2, 5}) {
            try (Matrices x = new Matrices(threads, 1 << 20)) {
                Tensor a = x.matrix(1, 0, DType.F32, 50, k, 0);
                Tensor b = x.matrix(2, 0, type, 333, k, 0);
                Tensor all = Tensor.of(x.blocks[0], DType.F32, 50, 333);
                assertTrue(matmulBt.run(x.queue, all, a, b).served());
                x.queue.synchronize();
                byte[] bits = all.segment().asSlice(0, all.byteSpan()).toArray(ValueLayout.JAVA_BYTE);
                first = first == null ? bits : first;
                assertArrayEquals(first, bits);
                for (int rows : new int[] {1, 3, 5}) {
                    Tensor few = Tensor.of(x.blocks[0], 1 << 19, DType.F32, rows, 333);
                    assertTrue(
                            matmulBt.run(x.queue, few, a.rows(7, 7 + rows), b).served());
                    x.queue.synchronize();
                    assertEquals(
                            -1,
                            few.segment()
                                    .asSlice(1 << 19, few.byteSpan())
                                    .mismatch(all.segment().asSlice(7 * 333 * 4, few.byteSpan())));
                }
            }
        }
    }

    @Test
    @DisplayName("O4.13 NaN and infinities go through a product as arithmetic says, into bf16 too")
    void special() {
        try (Matrices x = new Matrices(2, 1 << 16)) {
            for (int at : new int[] {0, 40, 52}) {
                for (DType type : OUTS) {
                    Tensor a = x.matrix(1, 0, DType.F32, 5, 53, 0);
                    Tensor b = x.matrix(2, 0, DType.F32, 9, 53, 0);
                    a.segment().set(F32Reader.FLOAT, 4 * at, Float.NaN);
                    a.segment().set(F32Reader.FLOAT, 4 * (53 + at), Float.POSITIVE_INFINITY);
                    b.segment().set(F32Reader.FLOAT, 4 * at, 1f);
                    b.segment().set(F32Reader.FLOAT, 4 * (53 + at), 0f);
                    Tensor out = x.result(0, type, 5, 9, 0);
                    assertTrue(matmulBt.run(x.queue, out, a, b).served());
                    x.queue.synchronize();
                    assertTrue(Double.isNaN(Matrices.at(out, 0, 0)));
                    assertTrue(Double.isNaN(Matrices.at(out, 0, 8)));
                    assertEquals(Double.POSITIVE_INFINITY, Matrices.at(out, 1, 0));
                    assertTrue(Double.isNaN(Matrices.at(out, 1, 1)));
                    assertFalse(Double.isNaN(Matrices.at(out, 2, 0)));
                }
            }
        }
    }

    @Test
    @DisplayName("S13 what can't be served is declined with a constant reason before anything is written")
    void declines() {
        try (Matrices x = new Matrices(1, 1 << 16)) {
            Tensor out = x.result(0, DType.F32, 4, 4, 0);
            Tensor a = x.matrix(1, 0, DType.F32, 4, 256, 0);
            Tensor b = x.matrix(2, 0, DType.F32, 4, 256, 0);
            Tensor ints = Tensor.of(x.blocks[1], DType.I32, 4, 256);
            Tensor q5 = Tensor.of(x.blocks[2], DType.Q5_K, 4, 256);
            Tensor half = Tensor.of(x.blocks[0], DType.F16, 4, 4);
            Tensor strided = Tensor.strided(x.blocks[1], 0, DType.F32, new long[] {4, 256}, new long[] {1, 4});
            declined(Declines.A_TYPE, matmulBt.run(x.queue, out, ints, b));
            declined(Declines.A_TYPE, matmul.run(x.queue, out, ints, b));
            declined(Declines.B_TYPE, quant.run(x.queue, out, a, q5));
            declined(Declines.OUT_TYPE, matmulBt.run(x.queue, half, a, b));
            declined(Declines.OUT_TYPE, matmul.run(x.queue, half, a, b));
            declined(Declines.STRIDED, matmulBt.run(x.queue, out, strided, b));
            x.queue.synchronize();
            for (int i = 0; i < 64; i++) {
                assertEquals(0x5a, out.segment().get(ValueLayout.JAVA_BYTE, i));
            }
        }
    }

    private static void declined(Outcome expected, Outcome given) {
        assertFalse(given.served());
        assertEquals(expected, given);
    }

    @Test
    @DisplayName("O4.7 a captured product is done by each replay, and is stale once one of its blocks was closed")
    void capture() {
        try (Matrices x = new Matrices(2, 1 << 16)) {
            Tensor out = x.result(0, DType.F32, 1, 8, 0);
            Tensor a = x.matrix(1, 0, DType.F32, 1, 64, 0);
            Tensor b = x.matrix(2, 0, DType.F32, 8, 64, 0);
            x.queue.beginCapture();
            assertTrue(matmulBt.run(x.queue, out, a, b).served());
            Graph graph = x.queue.endCapture();
            x.queue.synchronize();
            double before = Matrices.at(out, 0, 0);
            graph.replay(x.queue);
            x.queue.synchronize();
            assertFalse(before == Matrices.at(out, 0, 0));
            x.blocks[2].close();
            assertThrows(StaleGraphException.class, () -> graph.replay(x.queue));
        }
    }
}
