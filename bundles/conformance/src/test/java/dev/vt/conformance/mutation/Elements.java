package dev.vt.conformance.mutation;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The elements of a tensor in host memory one by one, in row-major order whatever the strides. Slow and plain. */
final class Elements {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Tensor tensor;
    private final MemorySegment segment;
    private final DType dtype;

    Elements(Tensor tensor) {
        this.tensor = tensor;
        segment = tensor.segment();
        dtype = tensor.dtype();
    }

    long count() {
        return tensor.elements();
    }

    long dim(int i) {
        return tensor.dim(i);
    }

    DType dtype() {
        return dtype;
    }

    /** The byte at which an element lies. */
    long at(long element) {
        if (tensor.contiguous()) {
            return tensor.offset() + element * dtype.elementBytes();
        }
        long at = 0;
        long rest = element;
        for (int i = tensor.rank() - 1; i >= 0; i--) {
            at += rest % tensor.dim(i) * tensor.stride(i);
            rest /= tensor.dim(i);
        }
        return tensor.offset() + at * dtype.elementBytes();
    }

    float get(long element) {
        return load(at(element));
    }

    /** The float at a byte, wherever that is. */
    float load(long at) {
        return switch (dtype) {
            case F32 -> segment.get(F32, at);
            case F16 -> Float.float16ToFloat(segment.get(U16, at));
            case BF16 -> Float.intBitsToFloat(segment.get(U16, at) << 16);
            default -> throw new IllegalArgumentException("no float: " + dtype);
        };
    }

    long integer(long element) {
        return dtype == DType.I64 ? segment.get(I64, at(element)) : segment.get(I32, at(element));
    }

    void set(long element, long value) {
        segment.set(I64, at(element), value);
    }

    void set(long element, float value) {
        store(at(element), value);
    }

    /** Stores at a byte, wherever that is. */
    void store(long at, float value) {
        if (dtype == DType.F32) {
            segment.set(F32, at, value);
        } else {
            segment.set(U16, at, bf16(value));
        }
    }

    /** Stores the bits of a bf16. */
    void bits(long element, int bits) {
        segment.set(U16, at(element), (short) bits);
    }

    static short bf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) (Float.isNaN(value) ? bits >>> 16 | 0x40 : bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }
}
