package dev.vt.backend.cuda.internal.kernel.rope;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import org.jspecify.annotations.Nullable;

/** What the kernels that rotate heads in place have in common: a block of threads a token. Pure functions. */
final class Heads {
    /** Most threads of a block. */
    private static final int MOST = 512;

    private static final int WARP = 32;

    private Heads() {}

    /** Null when the heads of q and k can be rotated, else why not. */
    static @Nullable Outcome decline(Tensor q, @Nullable Tensor k) {
        Outcome no = Operand.aligned(q);
        no = no != null || k == null ? no : Operand.aligned(k);
        return no == null && q.dim(0) > Grid.MAX ? Declines.MANY_ROWS : no;
    }

    /** True when pairs can be read and written 16 bytes at a time. */
    static boolean wide(Tensor q, @Nullable Tensor k, int rotary) {
        int n = perAccess(q);
        return rotary / 2 % n == 0 && q.dim(2) % n == 0 && at16(q) && (k == null || at16(k));
    }

    private static boolean at16(Tensor x) {
        return Operand.at16(x, Operand.outerStride(x));
    }

    /** Elements of 16 bytes. */
    private static int perAccess(Tensor x) {
        return x.dtype() == DType.F32 ? 4 : 8;
    }

    /** The arguments that describe q and k. */
    static Launch arguments(Launch launch, Tensor q, @Nullable Tensor k) {
        return launch.tensor(q)
                .optional(k)
                .i64(Operand.outerStride(q))
                .i64(k == null ? 0 : Operand.outerStride(k))
                .i32((int) q.dim(1))
                .i32(k == null ? 0 : (int) k.dim(1))
                .i32((int) q.dim(2));
    }

    /** The number of tokens, and where the pairs of height and width begin. */
    static Launch positions(Launch launch, Tensor positions, int wide, long tokens, @Nullable MropeSections sections) {
        return launch.tensor(positions)
                .i32(wide)
                .i64(tokens)
                .i32(sections == null ? -1 : (int) sections.start(1))
                .i32(sections == null ? -1 : (int) sections.start(2));
    }

    /** The numbers that angles are made of. */
    static Launch frequencies(Launch launch, RopeFrequencies f) {
        RopeFrequencies.Llama3Scaling s = f.llama3();
        return launch.f64(f.base())
                .f64(f.linearScale())
                .f64(s == null ? 0 : s.factor())
                .f64(s == null ? 0 : s.lowFrequencyFactor())
                .f64(s == null ? 0 : s.highFrequencyFactor())
                .f64(s == null ? 0 : s.originalContext())
                .i32(f.rotaryDim());
    }

    /** Threads for the pairs of all heads of a token, so that the last round is as full as the others. */
    static int threads(Tensor q, @Nullable Tensor k, int rotary, boolean wide) {
        long heads = q.dim(1) + (k == null ? 0 : k.dim(1));
        long items = Math.max(1, heads * (rotary / 2) / (wide ? perAccess(q) : 1));
        long rounds = Math.ceilDiv(items, MOST);
        return (int) (Math.ceilDiv(Math.ceilDiv(items, rounds), WARP) * WARP);
    }
}
