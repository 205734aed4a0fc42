package dev.vt.provider.cublaslt.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What cuBLASLt is told of a product: the operation and three layouts, as objects of the library. The library knows matrices by columns, so
 * a row-major one is its own transpose there: {@code out = a b} becomes {@code out' = b' a'}, and the library's a is our b. Made and
 * closed by one thread.
 */
final class Descriptors implements AutoCloseable {
    /** CUBLAS_COMPUTE_32F: products of f32 stay f32, sums are kept in f32. */
    private static final int COMPUTE_F32 = 68;

    private static final int TRANSPOSE_A = 3;
    private static final int PAIRS = 5;
    private static final int APART = 6;

    private static final int MAX_SCRATCH = 1;
    private static final int REDUCTIONS = 3;
    private static final int ALIGNMENT_A = 5;
    private static final int ALIGNMENT_B = 6;
    private static final int ALIGNMENT_C = 7;
    private static final int ALIGNMENT_D = 8;

    /** Parts of a sum that is split are kept in f32, and rounded once at the end. */
    private static final int REDUCTION_IN_F32 = 2;

    /** What NVIDIA recommends for Hopper. */
    private static final long SCRATCH_LIMIT = 32L << 20;

    /** Bytes of a heuristic's result: the algorithm first, then its scratch memory. */
    private static final long RESULT_BYTES = 96;

    private static final long RESULT_SCRATCH = 64;
    private static final long RESULT_STATE = 72;

    private final Lt lt;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment result = arena.allocate(RESULT_BYTES, 16);
    private long operation;
    private long layoutA;
    private long layoutB;
    private long layoutD;

    private Descriptors(Lt lt) {
        this.lt = lt;
    }

    /** A plan for products of a shape; it declines where the library has no algorithm. */
    static Plan plan(Lt lt, long handle, Shape shape) {
        Descriptors own = new Descriptors(lt);
        boolean made = false;
        try (Arena temporary = Arena.ofConfined()) {
            own.describe(shape, temporary);
            boolean found = own.choose(handle, shape, temporary);
            made = true;
            return new Plan(
                    shape,
                    own,
                    own.result.address(),
                    own.result.get(JAVA_LONG, RESULT_SCRATCH),
                    found ? null : Declines.NO_ALGORITHM);
        } finally {
            if (!made) {
                own.close();
            }
        }
    }

    private void describe(Shape s, Arena temporary) {
        MemorySegment to = temporary.allocate(JAVA_LONG);
        check(lt.createOperation(to, COMPUTE_F32, Types.F32), "cublasLtMatmulDescCreate");
        operation = to.get(JAVA_LONG, 0);
        boolean transposed = s.product() == Product.TRANSPOSED;
        if (transposed) {
            set(Lt.Attribute.OPERATION, operation, TRANSPOSE_A, temporary.allocateFrom(JAVA_INT, 1));
        }
        int type = Types.of(s.type());
        layoutA = transposed
                ? layout(to, type, s.k(), s.n(), s.leadingB())
                : layout(to, type, s.n(), s.k(), s.leadingB());
        layoutB = layout(to, type, s.k(), s.m(), s.leadingA());
        layoutD = layout(to, Types.of(s.stored()), s.n(), s.m(), s.leadingOut());
        if (s.pairs() > 1) {
            int pairs = Math.toIntExact(s.pairs());
            pairs(layoutA, pairs, s.apartB(), temporary);
            pairs(layoutB, pairs, s.apartA(), temporary);
            pairs(layoutD, pairs, s.apartOut(), temporary);
        }
    }

    private long layout(MemorySegment to, int type, long rows, long columns, long leading) {
        check(lt.createLayout(to, type, rows, columns, leading), "cublasLtMatrixLayoutCreate");
        return to.get(JAVA_LONG, 0);
    }

    private void pairs(long layout, int count, long apart, Arena temporary) {
        set(Lt.Attribute.LAYOUT, layout, PAIRS, temporary.allocateFrom(JAVA_INT, count));
        set(Lt.Attribute.LAYOUT, layout, APART, temporary.allocateFrom(JAVA_LONG, apart));
    }

    /** Asks the library for an algorithm; false when it has none. */
    private boolean choose(long handle, Shape s, Arena temporary) {
        MemorySegment to = temporary.allocate(JAVA_LONG);
        check(lt.call(Lt.One.PREFERENCE_CREATE, to.address()), "cublasLtMatmulPreferenceCreate");
        long preference = to.get(JAVA_LONG, 0);
        try {
            prefer(preference, MAX_SCRATCH, temporary.allocateFrom(JAVA_LONG, SCRATCH_LIMIT));
            prefer(preference, REDUCTIONS, temporary.allocateFrom(JAVA_INT, REDUCTION_IN_F32));
            prefer(preference, ALIGNMENT_A, temporary.allocateFrom(JAVA_INT, s.alignmentB()));
            prefer(preference, ALIGNMENT_B, temporary.allocateFrom(JAVA_INT, s.alignmentA()));
            prefer(preference, ALIGNMENT_C, temporary.allocateFrom(JAVA_INT, s.alignmentOut()));
            prefer(preference, ALIGNMENT_D, temporary.allocateFrom(JAVA_INT, s.alignmentOut()));
            MemorySegment count = temporary.allocate(JAVA_INT);
            int code = lt.heuristic(handle, operation, layoutA, layoutB, layoutD, preference, result, count);
            if (code == Status.NOT_SUPPORTED || code == Status.INVALID_VALUE) {
                return false;
            }
            check(code, "cublasLtMatmulAlgoGetHeuristic");
            return count.get(JAVA_INT, 0) > 0 && result.get(JAVA_INT, RESULT_STATE) == Status.SUCCESS;
        } finally {
            lt.call(Lt.One.PREFERENCE_DESTROY, preference);
        }
    }

    private void prefer(long preference, int attribute, MemorySegment value) {
        set(Lt.Attribute.PREFERENCE, preference, attribute, value);
    }

    private void set(Lt.Attribute what, long object, int attribute, MemorySegment value) {
        check(lt.set(what, object, attribute, value), what + " attribute " + attribute);
    }

    private static void check(int code, String what) {
        if (code != Status.SUCCESS) {
            throw new VtException(ErrorCode.KERNEL_FAILED, "cuBLASLt: " + what + " gives " + Status.text(code));
        }
    }

    long operation() {
        return operation;
    }

    long layoutA() {
        return layoutA;
    }

    long layoutB() {
        return layoutB;
    }

    long layoutD() {
        return layoutD;
    }

    @Override
    public void close() {
        end(Lt.One.OPERATION_DESTROY, operation);
        end(Lt.One.LAYOUT_DESTROY, layoutA);
        end(Lt.One.LAYOUT_DESTROY, layoutB);
        end(Lt.One.LAYOUT_DESTROY, layoutD);
        arena.close();
    }

    private void end(Lt.One how, long object) {
        if (object != 0) {
            lt.call(how, object);
        }
    }
}
