package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import java.util.ArrayList;
import java.util.List;

/** Matrix products: {@code matmul}, {@code matmul_bt}, {@code matmul_bt_quant}. */
final class Products {
    private Products() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.MATMUL, "MxKxN")
                        .dtypes(Dtypes.FLOATS)
                        .quick("1x64x32", "3x33x7", "17x96x65")
                        .full(
                                "0x4x5",
                                "3x0x5",
                                "3x4x0",
                                "1x1x1",
                                "7x127x15",
                                "8x128x256",
                                "9x129x257",
                                "31x512x67",
                                "2x1531x3")
                        .patterns(
                                Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                        .makes(Products::matmul),
                OpSpec.of(OpTable.MATMUL_BT, "MxKxN")
                        .dtypes(Dtypes.FLOATS)
                        .quick("1x64x32", "3x33x7", "17x96x65")
                        .full(
                                "0x4x5",
                                "3x0x5",
                                "3x4x0",
                                "1x1x1",
                                "7x127x15",
                                "8x128x256",
                                "9x129x257",
                                "31x512x67",
                                "2x1531x3")
                        .patterns(
                                Pattern.NAN_MIDDLE, Pattern.NAN_LAST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO)
                        .makes(d -> transposed(d, d.dtype())),
                OpSpec.of(OpTable.MATMUL_BT_QUANT, "MxKxN")
                        .dtypes(Dtypes.BLOCKS)
                        .quick("1x256x32", "3x512x7")
                        .full(blockTails())
                        .except(p -> p.dims()[1] % p.dtype().blockElements() != 0)
                        .patterns(Pattern.NAN_MIDDLE, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO, Pattern.LARGE)
                        .makes(d -> transposed(d, DType.F32)));
    }

    /**
     * Every number of blocks up to five tiles of 256 elements, for few rows and for many: kernels often have one way for a single row
     * and another for batches, with a tail of its own.
     */
    private static List<String> blockTails() {
        List<String> sizes = new ArrayList<>(List.of("0x256x5", "3x256x0", "1x256x1", "50x256x257", "5x1536x33"));
        for (int k = 32; k <= 5 * 256; k += 32) {
            for (int m : new int[] {1, 2, 7, 8, 9, 50}) {
                sizes.add(m + "x" + k + "x" + (k % 64 == 0 ? 9 : 4));
            }
        }
        return sizes;
    }

    private static void matmul(Draft d) {
        int m = d.dim(0);
        int k = d.dim(1);
        int n = d.dim(2);
        Operand out = d.out("out", d.stored(), m, n);
        Operand a = d.data("a", d.dtype(), m, k);
        Operand b = d.normal("b", d.dtype(), k, n);
        out.expect(
                () -> Sums.products(m, n, k, a.values(), b.values(), (row, i) -> row * k + i, (col, i) -> i * n + col));
        d.flops(2.0 * m * k * n);
        d.call((ops, q, t) -> ops.matmul(q, t[0], t[1], t[2]));
    }

    private static void transposed(Draft d, DType activations) {
        int m = d.dim(0);
        int k = d.dim(1);
        int n = d.dim(2);
        DType stored = d.dtype().isBlock() ? DType.F32 : d.stored();
        Operand out = d.out("out", stored, m, n).mayPad();
        // The pattern goes to the weights where these are encoded: the activations are plain there.
        Operand a = d.dtype().isBlock()
                ? d.normal("a", activations, m, k).mayPad()
                : d.data("a", activations, m, k).mayPad();
        Operand b = d.dtype().isBlock() ? d.data("b", d.dtype(), n, k) : d.normal("b", d.dtype(), n, k);
        out.expect(
                () -> Sums.products(m, n, k, a.values(), b.values(), (row, i) -> row * k + i, (col, i) -> col * k + i));
        d.flops(2.0 * m * k * n);
        d.call((ops, q, t) -> ops.matmulBt(q, t[0], t[1], t[2]));
    }
}
