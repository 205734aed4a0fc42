package dev.vt.provider.cublaslt.internal;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;

/**
 * All that decides how cuBLASLt computes a product: the key of a plan. Calls are compared with it without making one.
 *
 * @param product how b lies
 * @param type of a and b
 * @param stored type of the result
 * @param pairs number of pairs of matrices
 * @param m rows of the result
 * @param n columns of the result
 * @param k what is summed over
 * @param leadingA elements from one row of a to the next, and so on
 * @param apartA elements from one matrix a to the next, and so on
 * @param alignmentA of the address of a, and so on
 */
record Shape(
        Product product,
        DType type,
        DType stored,
        long pairs,
        long m,
        long n,
        long k,
        long leadingA,
        long leadingB,
        long leadingOut,
        long apartA,
        long apartB,
        long apartOut,
        int alignmentA,
        int alignmentB,
        int alignmentOut) {

    static Shape of(Product product, Tensor out, Tensor a, Tensor b) {
        return new Shape(
                product,
                a.dtype(),
                out.dtype(),
                Operands.pairs(out),
                Operands.rows(out),
                Operands.columns(out),
                Operands.columns(a),
                Operands.leading(a),
                Operands.leading(b),
                Operands.leading(out),
                Operands.apart(a),
                Operands.apart(b),
                Operands.apart(out),
                Operands.alignment(a),
                Operands.alignment(b),
                Operands.alignment(out));
    }

    /** The hash of the shape that a call has. */
    static int hash(Product product, Tensor out, Tensor a, Tensor b) {
        long sizes = mix(mix(Operands.rows(out), Operands.columns(out)), mix(Operands.columns(a), Operands.pairs(out)));
        long rows = mix(mix(Operands.leading(a), Operands.leading(b)), Operands.leading(out));
        long kind = kind(product, a.dtype(), out.dtype());
        long alignments = alignments(Operands.alignment(a), Operands.alignment(b), Operands.alignment(out));
        return fold(mix(mix(sizes, rows), mix(kind, alignments)));
    }

    @Override
    public int hashCode() {
        long sizes = mix(mix(m, n), mix(k, pairs));
        long rows = mix(mix(leadingA, leadingB), leadingOut);
        long kind = kind(product, type, stored);
        return fold(mix(mix(sizes, rows), mix(kind, alignments(alignmentA, alignmentB, alignmentOut))));
    }

    private static long kind(Product product, DType type, DType stored) {
        return product.ordinal() + 2L * type.ordinal() + 64L * stored.ordinal();
    }

    private static long alignments(long a, long b, long out) {
        return a + 512 * b + 512 * 512 * out;
    }

    private static long mix(long one, long other) {
        return (one * 0x9e3779b97f4a7c15L ^ one >>> 29) + other;
    }

    private static int fold(long h) {
        return (int) (h * 0x9e3779b97f4a7c15L >>> 32);
    }

    /** Whether a call has this shape. */
    boolean fits(Product given, Tensor out, Tensor a, Tensor b) {
        return product == given
                && type == a.dtype()
                && stored == out.dtype()
                && m == Operands.rows(out)
                && n == Operands.columns(out)
                && k == Operands.columns(a)
                && pairs == Operands.pairs(out)
                && leadingA == Operands.leading(a)
                && leadingB == Operands.leading(b)
                && leadingOut == Operands.leading(out)
                && apartA == Operands.apart(a)
                && apartB == Operands.apart(b)
                && apartOut == Operands.apart(out)
                && alignmentA == Operands.alignment(a)
                && alignmentB == Operands.alignment(b)
                && alignmentOut == Operands.alignment(out);
    }
}
