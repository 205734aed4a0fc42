package dev.vt.model.gguf;

import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A tensor of a GGUF file: name, element type, shape and the mapped bytes, which can't be written to and go with their
 * file. The shape is row-major as everywhere in this runtime ([rows, columns]); the file itself lists the fastest
 * dimension first. Immutable; any thread may use it.
 */
public final class GgufTensor {
    private final String name;
    private final DType dtype;
    private final long[] shape;
    private final MemorySegment data;

    GgufTensor(String name, DType dtype, long[] shape, MemorySegment data) {
        this.name = name;
        this.dtype = dtype;
        this.shape = shape;
        this.data = data;
    }

    public String name() {
        return name;
    }

    public DType dtype() {
        return dtype;
    }

    /** 1 to 4. */
    public int rank() {
        return shape.length;
    }

    /** Size of dimension {@code i}; the last one is contiguous. */
    public long dim(int i) {
        return shape[i];
    }

    public long[] shape() {
        return shape.clone();
    }

    /** Number of elements. */
    public long elements() {
        long n = 1;
        for (long d : shape) {
            n *= d;
        }
        return n;
    }

    /** Exactly the tensor's bytes. */
    public MemorySegment data() {
        return data;
    }

    @Override
    public String toString() {
        return name + " " + dtype + Arrays.toString(shape);
    }
}
