package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Reads and writes the integer operands of ops: i8, i32, i64, any strides, any alignment. Holds no state but the view.
 */
final class Ints {
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Tensor tensor;
    private final MemorySegment segment;
    private final DType dtype;
    private final long base;
    private final long rowStep;
    private final long step;

    Ints(Tensor tensor) {
        this.tensor = tensor;
        this.segment = tensor.segment();
        this.dtype = tensor.dtype();
        this.base = tensor.offset();
        int rank = tensor.rank();
        this.step = rank == 0 ? 0 : tensor.stride(rank - 1) * dtype.elementBytes();
        this.rowStep = rank < 2 ? 0 : tensor.stride(rank - 2) * dtype.elementBytes();
    }

    /** Element i of a vector. */
    long get(long i) {
        return at(base + i * step);
    }

    /** Element [r, c] of a matrix. */
    long get(long r, long c) {
        return at(base + r * rowStep + c * step);
    }

    /** Writes element i of a vector of i64 or i32. */
    void set(long i, long value) {
        long at = base + i * step;
        if (dtype == DType.I64) {
            segment.set(I64, at, value);
        } else {
            segment.set(I32, at, Math.toIntExact(value));
        }
    }

    /** Throws unless the elements from..to of this vector lie in low..high, both included. */
    void check(String op, String argument, long from, long to, long low, long high) {
        for (long i = from; i < to; i++) {
            long v = get(i);
            if (v < low || v > high) {
                throw Faults.outside(op, argument, tensor, i, low, high, v);
            }
        }
    }

    private long at(long at) {
        return switch (dtype) {
            case I64 -> segment.get(I64, at);
            case I32 -> segment.get(I32, at);
            default -> segment.get(ValueLayout.JAVA_BYTE, at);
        };
    }
}
