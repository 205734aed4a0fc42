package dev.vt.api.tensor;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A view of a block of memory: element type, up to four dimensions, strides in elements. It owns nothing; the block must live
 * as long as work on the view does. Immutable, so any thread may hold it. For a block type the last dimension is contiguous
 * and both the last dimension and the other strides are whole blocks.
 */
public final class Tensor {
    /** The highest number of dimensions. */
    public static final int MAX_RANK = 4;

    /** Trait: elements follow each other in row-major order without gaps. The traits of rank 0 to 4 are {@code 1 << rank}. */
    public static final int CONTIGUOUS = 1 << 8;

    /** Trait: f32, f16 or bf16. */
    public static final int FLOAT = 1 << 9;

    /** Trait: f32 or bf16, what float ops write. */
    public static final int FLOAT_OUTPUT = 1 << 10;

    /** Trait: a block type. */
    public static final int BLOCK = 1 << 11;

    private final Memory memory;
    private final MemorySegment segment;
    private final Device device;
    private final long offset;
    private final DType dtype;
    private final int rank;
    // Sizes and strides stand in fields, so that a check with a constant index is one load.
    private final long dim0;
    private final long dim1;
    private final long dim2;
    private final long dim3;
    private final long stride0;
    private final long stride1;
    private final long stride2;
    private final long stride3;
    private final long elements;
    private final long span;
    private final boolean contiguous;
    private final int traits;

    private Tensor(Memory memory, long offset, DType dtype, long[] shape, long[] strides) {
        this.memory = memory;
        this.segment = memory.segment();
        this.device = memory.device();
        this.offset = offset;
        this.dtype = dtype;
        this.rank = shape.length;
        this.dim0 = at(shape, 0);
        this.dim1 = at(shape, 1);
        this.dim2 = at(shape, 2);
        this.dim3 = at(shape, 3);
        this.stride0 = at(strides, 0);
        this.stride1 = at(strides, 1);
        this.stride2 = at(strides, 2);
        this.stride3 = at(strides, 3);
        this.elements = count(shape);
        this.contiguous = isContiguous(shape, strides);
        this.traits = 1 << rank
                | (contiguous ? CONTIGUOUS : 0)
                | (dtype.isFloat() ? FLOAT : 0)
                | (dtype == DType.F32 || dtype == DType.BF16 ? FLOAT_OUTPUT : 0)
                | (dtype.isBlock() ? BLOCK : 0);
        this.span = span(dtype, shape, strides);
        long end = Math.addExact(offset, span);
        if (offset < 0 || end > memory.size()) {
            throw VtException.invalidArgument("tensor " + this + ": bytes " + offset + " to " + end
                    + " lie outside memory block " + memory.id() + " of " + memory.size() + " bytes on " + device);
        }
    }

    private static long at(long[] values, int i) {
        return i < values.length ? values[i] : 0;
    }

    /** A contiguous view from the block's start. */
    public static Tensor of(Memory memory, DType dtype, long... shape) {
        return of(memory, 0, dtype, shape);
    }

    /** A contiguous view from a byte offset on. */
    public static Tensor of(Memory memory, long byteOffset, DType dtype, long... shape) {
        long[] dims = checkedShape(shape);
        return new Tensor(memory, byteOffset, Objects.requireNonNull(dtype), dims, contiguousStrides(dims));
    }

    /** A view with strides in elements. */
    public static Tensor strided(Memory memory, long byteOffset, DType dtype, long[] shape, long[] strides) {
        long[] dims = checkedShape(shape);
        if (strides.length != dims.length) {
            throw VtException.invalidArgument("tensor: expected " + dims.length + " strides, given " + strides.length);
        }
        for (long s : strides) {
            if (s < 0) {
                throw VtException.invalidArgument("tensor: expected strides of 0 or more, given " + s);
            }
        }
        return new Tensor(memory, byteOffset, Objects.requireNonNull(dtype), dims, strides.clone());
    }

    /** Bytes that a contiguous tensor of this type and shape takes. */
    public static long bytes(DType dtype, long... shape) {
        long[] dims = checkedShape(shape);
        if (dims.length == 0) {
            return dtype.rowBytes(1);
        }
        long rows = 1;
        for (int i = 0; i < dims.length - 1; i++) {
            rows = Math.multiplyExact(rows, dims[i]);
        }
        return Math.multiplyExact(rows, dtype.rowBytes(dims[dims.length - 1]));
    }

    public Memory memory() {
        return memory;
    }

    /** The whole block's segment; the data starts at {@link #offset()}. */
    public MemorySegment segment() {
        return segment;
    }

    public Device device() {
        return device;
    }

    /** Where the data starts in the block, in bytes. */
    public long offset() {
        return offset;
    }

    public DType dtype() {
        return dtype;
    }

    public int rank() {
        return rank;
    }

    /** Size of dimension {@code i}. */
    public long dim(int i) {
        Objects.checkIndex(i, rank);
        return i == 0 ? dim0 : i == 1 ? dim1 : i == 2 ? dim2 : dim3;
    }

    /** Size of the last dimension; 1 for a scalar. */
    public long lastDim() {
        return rank == 0 ? 1 : dim(rank - 1);
    }

    /** Stride of dimension {@code i} in elements. */
    public long stride(int i) {
        Objects.checkIndex(i, rank);
        return i == 0 ? stride0 : i == 1 ? stride1 : i == 2 ? stride2 : stride3;
    }

    public long[] shape() {
        return java.util.Arrays.copyOf(new long[] {dim0, dim1, dim2, dim3}, rank);
    }

    public long[] strides() {
        return java.util.Arrays.copyOf(new long[] {stride0, stride1, stride2, stride3}, rank);
    }

    /** Number of elements. */
    public long elements() {
        return elements;
    }

    /** Bytes from the first to the last element of the view. */
    public long byteSpan() {
        return span;
    }

    /** True when the elements follow each other in row-major order without gaps. */
    public boolean contiguous() {
        return contiguous;
    }

    /** Answers several questions with one compare: all the given traits hold. */
    public boolean has(int wanted) {
        return (traits & wanted) == wanted;
    }

    public boolean sameShape(Tensor other) {
        return rank == other.rank
                && dim0 == other.dim0
                && dim1 == other.dim1
                && dim2 == other.dim2
                && dim3 == other.dim3;
    }

    private boolean sameStrides(Tensor other) {
        return stride0 == other.stride0
                && stride1 == other.stride1
                && stride2 == other.stride2
                && stride3 == other.stride3;
    }

    /** True when the byte ranges of the two views have a byte in common. */
    public boolean overlaps(Tensor other) {
        return memory == other.memory
                && span > 0
                && other.span > 0
                && offset < other.offset + other.span
                && other.offset < offset + span;
    }

    /** True when both are the same view of the same bytes. */
    public boolean sameView(Tensor other) {
        return this == other
                || (memory == other.memory
                        && offset == other.offset
                        && dtype == other.dtype
                        && sameShape(other)
                        && sameStrides(other));
    }

    /** Rows {@code from} to {@code to} (exclusive) of the first dimension. */
    public Tensor rows(long from, long to) {
        if (rank == 0 || from < 0 || to < from || to > dim0) {
            throw VtException.invalidArgument("tensor " + this + ": rows " + from + " to " + to + " are not in it");
        }
        long[] dims = shape();
        dims[0] = to - from;
        long start = to == from ? offset : Math.addExact(offset, bytesAt(dtype, Math.multiplyExact(from, stride0)));
        return new Tensor(memory, start, dtype, dims, strides());
    }

    /** Columns {@code from} to {@code to} (exclusive) of the last dimension, in whole blocks. */
    public Tensor columns(long from, long to) {
        if (rank == 0 || from < 0 || to < from || to > dim(rank - 1)) {
            throw VtException.invalidArgument("tensor " + this + ": columns " + from + " to " + to + " are not in it");
        }
        long[] dims = shape();
        dims[rank - 1] = to - from;
        long start =
                to == from ? offset : Math.addExact(offset, bytesAt(dtype, Math.multiplyExact(from, stride(rank - 1))));
        return new Tensor(memory, start, dtype, dims, strides());
    }

    /** The same elements in another shape; only a contiguous view can be reshaped. */
    public Tensor reshape(long... newShape) {
        long[] dims = checkedShape(newShape);
        if (!contiguous || count(dims) != elements) {
            throw VtException.invalidArgument("tensor " + this + ": can't be seen as "
                    + java.util.Arrays.toString(newShape) + (contiguous ? "" : " since it is not contiguous"));
        }
        return new Tensor(memory, offset, dtype, dims, contiguousStrides(dims));
    }

    private static long[] checkedShape(long[] shape) {
        if (shape.length > MAX_RANK) {
            throw VtException.invalidArgument("tensor: expected at most 4 dimensions, given " + shape.length);
        }
        long product = 1;
        for (long d : shape) {
            if (d < 0) {
                throw VtException.invalidArgument(
                        "tensor: expected sizes of 0 or more, given " + java.util.Arrays.toString(shape));
            }
            try {
                product = Math.multiplyExact(product, d);
            } catch (ArithmeticException e) {
                throw VtException.invalidArgument("tensor: the sizes " + java.util.Arrays.toString(shape)
                        + " are more elements than fit in 63 bits");
            }
        }
        return shape.clone();
    }

    private static long count(long[] shape) {
        long n = 1;
        for (long d : shape) {
            n *= d;
        }
        return n;
    }

    private static long[] contiguousStrides(long[] shape) {
        long[] s = new long[shape.length];
        long step = 1;
        for (int i = shape.length - 1; i >= 0; i--) {
            s[i] = step;
            step = Math.multiplyExact(step, Math.max(1, shape[i]));
        }
        return s;
    }

    private static boolean isContiguous(long[] shape, long[] strides) {
        long step = 1;
        for (int i = shape.length - 1; i >= 0; i--) {
            if (shape[i] == 0) {
                return true;
            }
            if (shape[i] != 1 && strides[i] != step) {
                return false;
            }
            step = Math.multiplyExact(step, shape[i]);
        }
        return true;
    }

    private static long span(DType dtype, long[] shape, long[] strides) {
        long last = 0;
        for (int i = 0; i < shape.length; i++) {
            if (shape[i] == 0) {
                return 0;
            }
            last = Math.addExact(last, Math.multiplyExact(shape[i] - 1, strides[i]));
        }
        if (dtype.isBlock()) {
            checkBlocks(dtype, shape, strides);
            long row = shape[shape.length - 1];
            return bytesAt(dtype, last + 1 - row) + dtype.rowBytes(row);
        }
        return Math.multiplyExact(last + 1, dtype.blockBytes());
    }

    private static void checkBlocks(DType dtype, long[] shape, long[] strides) {
        int n = shape.length;
        boolean whole = n > 0 && strides[n - 1] == 1 && shape[n - 1] % dtype.blockElements() == 0;
        for (int i = 0; whole && i < n - 1; i++) {
            whole = strides[i] % dtype.blockElements() == 0;
        }
        if (!whole) {
            throw VtException.invalidArgument("tensor of " + dtype
                    + ": expected a contiguous last dimension and strides of whole"
                    + " blocks of " + dtype.blockElements() + ", given shape " + java.util.Arrays.toString(shape)
                    + " strides " + java.util.Arrays.toString(strides));
        }
    }

    private static long bytesAt(DType dtype, long element) {
        return dtype.rowBytes(element);
    }

    /** The short form of messages: {@code f32[2,64]}. */
    @Override
    public String toString() {
        StringBuilder s = new StringBuilder(dtype.label()).append('[');
        for (int i = 0; i < rank; i++) {
            s.append(i == 0 ? "" : ",").append(dim(i));
        }
        return s.append(']').toString();
    }
}
