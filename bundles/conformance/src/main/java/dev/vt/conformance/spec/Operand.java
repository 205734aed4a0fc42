package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One argument of a case: its data, where it is read, and what it must hold afterwards, where it is written. Made by a {@link Draft};
 * one thread.
 */
public final class Operand {
    private final String name;
    private final DType dtype;
    private final long[] shape;
    private final byte @Nullable [] data;
    private double @Nullable [] values;
    private boolean mayPad;
    private @Nullable Pointers pointers;
    private long @Nullable [] strides;
    private @Nullable Supplier<Expected> expected;

    Operand(String name, DType dtype, long[] shape, byte @Nullable [] data) {
        this.name = name;
        this.dtype = dtype;
        this.shape = shape.clone();
        this.data = data;
        if (data != null && data.length != Tensor.bytes(dtype, shape)) {
            throw VtException.invalidArgument(
                    "operand " + name + ": expected " + Tensor.bytes(dtype, shape) + " bytes, given " + data.length);
        }
    }

    /** The argument's name in the entry point. */
    public String name() {
        return name;
    }

    public DType dtype() {
        return dtype;
    }

    public long[] shape() {
        return shape.clone();
    }

    /** The elements before the call, row-major without gaps; null for an output that is only written. */
    public byte @Nullable [] data() {
        return data;
    }

    /**
     * Elements that are device addresses, which only the placed case knows.
     *
     * @param target the operand that they point into
     * @param change makes the element from its index and the address of that row of the target's first dimension
     */
    public record Pointers(Operand target, LongBinaryOperator change) {}

    Operand pointing(Pointers to) {
        pointers = to;
        return this;
    }

    /** What the elements point at; null for data that is known before the case is placed. */
    public @Nullable Pointers pointers() {
        return pointers;
    }

    /** What a kernel reads here, element by element. */
    public double[] values() {
        if (data == null) {
            throw VtException.invalidArgument("operand " + name + " has no data before the call");
        }
        if (values == null) {
            values = dtype.isBlock() ? BlockDecoder.decode(dtype, data) : Floats.decode(dtype, data);
        }
        return values;
    }

    /** The integers that a kernel reads here. */
    public long[] integers() {
        if (data == null) {
            throw VtException.invalidArgument("operand " + name + " has no data before the call");
        }
        return Floats.integers(dtype, data);
    }

    /** Says that the contract lets rows be padded: in some cases they will be. */
    public Operand mayPad() {
        mayPad = true;
        return this;
    }

    public boolean canBePadded() {
        return mayPad;
    }

    /** Strides in elements, for a contract that leaves them free. */
    public Operand strides(long... elements) {
        strides = elements.clone();
        return this;
    }

    /** The strides that the case asks for, or null where the kit chooses. */
    public long @Nullable [] strides() {
        return strides == null ? null : strides.clone();
    }

    /** Says what the operand must hold after the call; with this it is an output. Computed only if the kernel serves. */
    public Operand expect(Supplier<Expected> reference) {
        expected = reference;
        return this;
    }

    /** The reference; null for an input, which no kernel may change. */
    public @Nullable Supplier<Expected> expected() {
        return expected;
    }

    @Override
    public String toString() {
        StringBuilder s = new StringBuilder(name).append(' ').append(dtype).append('[');
        for (int i = 0; i < shape.length; i++) {
            s.append(i == 0 ? "" : ",").append(shape[i]);
        }
        return s.append(']').toString();
    }
}
