package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A tensor as rows of its last dimension, read to and written from float arrays. Outer dimensions may have any strides,
 * the last one is contiguous, the alignment is free. This is the one place where the kernels meet element types: f32,
 * f16, bf16, and block encodings to read. One rounding on a store: to nearest, ties to even; a NaN stays one.
 * Immutable; threads may share it.
 */
final class Rows {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The longest row that fits a Java array with room to spare. */
    static final long MAX_COLS = Integer.MAX_VALUE - 64;

    private final MemorySegment segment;
    private final DType dtype;
    private final @Nullable BlockFormat format;
    private final long base;
    private final long rows;
    private final long cols;
    private final long rowBytes;
    private final boolean even;
    private final long dim1;
    private final long dim2;
    private final long step0;
    private final long step1;
    private final long step2;

    private Rows(Tensor t, long rows, long cols) {
        this.segment = t.segment();
        this.dtype = t.dtype();
        this.format = BlockFormat.find(dtype).orElse(null);
        this.base = t.offset();
        this.rows = rows;
        this.cols = cols;
        this.rowBytes = dtype.rowBytes(cols);
        int outer = rows == 1 ? 0 : t.rank() - 1;
        this.even = t.contiguous() || outer <= 1;
        this.dim2 = outer >= 2 ? t.dim(outer - 1) : 1;
        this.dim1 = outer >= 3 ? t.dim(outer - 2) : 1;
        this.step2 = outer >= 2 ? bytes(t, outer - 1) : 0;
        this.step1 = outer >= 3 ? bytes(t, outer - 2) : 0;
        this.step0 = even ? (t.contiguous() || outer == 0 ? rowBytes : bytes(t, 0)) : bytes(t, 0);
    }

    private Rows(MemorySegment segment, DType dtype, long rows, long cols) {
        this.segment = segment;
        this.dtype = dtype;
        this.format = BlockFormat.find(dtype).orElse(null);
        this.base = 0;
        this.rows = rows;
        this.cols = cols;
        this.rowBytes = dtype.rowBytes(cols);
        this.even = true;
        this.dim1 = 1;
        this.dim2 = 1;
        this.step0 = rowBytes;
        this.step1 = 0;
        this.step2 = 0;
    }

    /** The rows of a tensor; a scalar is one row of one element. */
    static Rows of(Tensor t) {
        long rows = 1;
        for (int i = 0; i < t.rank() - 1; i++) {
            rows *= t.dim(i);
        }
        return new Rows(t, rows, t.lastDim());
    }

    /** A contiguous tensor as one row, however long. */
    static Rows flat(Tensor t) {
        return new Rows(t, 1, t.elements());
    }

    /** A contiguous matrix at the start of a segment. */
    static Rows matrix(MemorySegment segment, DType dtype, long rows, long cols) {
        return new Rows(segment, dtype, rows, cols);
    }

    /** True when the elements of a row follow each other. */
    static boolean readable(Tensor t) {
        return t.rank() == 0 || t.lastDim() <= 1 || t.stride(t.rank() - 1) == 1;
    }

    /** True when a row fits a Java array. */
    static boolean fits(Tensor t) {
        return t.lastDim() <= MAX_COLS;
    }

    long rows() {
        return rows;
    }

    long cols() {
        return cols;
    }

    DType dtype() {
        return dtype;
    }

    /** The byte at which a row starts. */
    long at(long row) {
        if (even) {
            return base + row * step0;
        }
        long upper = row / dim2;
        return base + row % dim2 * step2 + upper % dim1 * step1 + upper / dim1 * step0;
    }

    /** Reads a whole row. */
    void read(long row, float[] to) {
        read(row, 0, (int) cols, to, 0);
    }

    /** Reads {@code n} elements of a row from column {@code col} on; of a block encoding, whole blocks. */
    void read(long row, long col, int n, float[] to, int at) {
        long from = at(row) + dtype.rowBytes(col);
        switch (dtype) {
            case F32 -> MemorySegment.copy(segment, F32, from, to, at, n);
            case F16 -> {
                for (int i = 0; i < n; i++) {
                    to[at + i] = Float.float16ToFloat(segment.get(U16, from + 2L * i));
                }
            }
            case BF16 -> {
                for (int i = 0; i < n; i++) {
                    to[at + i] = Float.intBitsToFloat(segment.get(U16, from + 2L * i) << 16);
                }
            }
            default -> format().decodeRow(segment, from, n, to, at);
        }
    }

    /** Writes a whole row. */
    void write(long row, float[] from) {
        write(row, 0, (int) cols, from, 0);
    }

    /** Writes {@code n} elements of a row from column {@code col} on. */
    void write(long row, long col, int n, float[] from, int at) {
        long to = at(row) + col * dtype.elementBytes();
        switch (dtype) {
            case F32 -> MemorySegment.copy(from, at, segment, F32, to, n);
            case F16 -> {
                for (int i = 0; i < n; i++) {
                    segment.set(U16, to + 2L * i, Float.floatToFloat16(from[at + i]));
                }
            }
            case BF16 -> {
                for (int i = 0; i < n; i++) {
                    segment.set(U16, to + 2L * i, bf16(from[at + i]));
                }
            }
            default -> throw VtException.unsupported("rows of " + dtype + " can't be written");
        }
    }

    /** Reads one element. */
    float get(long row, long col) {
        long at = at(row) + col * dtype.elementBytes();
        return switch (dtype) {
            case F32 -> segment.get(F32, at);
            case F16 -> Float.float16ToFloat(segment.get(U16, at));
            case BF16 -> Float.intBitsToFloat(segment.get(U16, at) << 16);
            default -> throw VtException.unsupported("a single element of " + dtype + " can't be read");
        };
    }

    /** Writes one element. */
    void set(long row, long col, float value) {
        long at = at(row) + col * dtype.elementBytes();
        switch (dtype) {
            case F32 -> segment.set(F32, at, value);
            case F16 -> segment.set(U16, at, Float.floatToFloat16(value));
            case BF16 -> segment.set(U16, at, bf16(value));
            default -> throw VtException.unsupported("a single element of " + dtype + " can't be written");
        }
    }

    /** Copies columns of a row to a row of another tensor; the bytes as they are where both have one type. */
    void copy(long row, long col, long n, Rows to, long toRow, long toCol, float[] scratch) {
        if (dtype == to.dtype) {
            MemorySegment.copy(
                    segment,
                    at(row) + dtype.rowBytes(col),
                    to.segment,
                    to.at(toRow) + dtype.rowBytes(toCol),
                    dtype.rowBytes(n));
            return;
        }
        int step = scratch.length / dtype.blockElements() * dtype.blockElements();
        for (long c = 0; c < n; c += step) {
            int m = (int) Math.min(step, n - c);
            read(row, col + c, m, scratch, 0);
            to.write(toRow, toCol + c, m, scratch, 0);
        }
    }

    /** A float as bf16, to nearest even; a NaN is cut off and made quiet. */
    static short bf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) (bits >>> 16 | 0x40);
        }
        return (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }

    /** A float rounded to bf16. */
    static float roundBf16(float value) {
        return Float.intBitsToFloat(bf16(value) << 16);
    }

    /** Rounds all elements to bf16. */
    static void roundBf16(float[] x) {
        for (int i = 0; i < x.length; i++) {
            x[i] = roundBf16(x[i]);
        }
    }

    private BlockFormat format() {
        if (format == null) {
            throw VtException.unsupported("rows of " + dtype + " can't be read as floats");
        }
        return format;
    }

    private static long bytes(Tensor t, int dim) {
        return t.dtype().rowBytes(t.stride(dim));
    }
}
