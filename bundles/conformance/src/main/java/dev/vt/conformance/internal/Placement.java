package dev.vt.conformance.internal;

import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.conformance.spec.Operand;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where an operand lies in a block of memory of its own: guard bytes before and behind it, the offset of the case, gaps between
 * padded rows. The block as a byte array is an image; elements go in and out of it. Immutable, any thread.
 */
public final class Placement {
    /** Bytes in front: a multiple of 64, so that the offset alone decides the alignment. */
    private static final int BEFORE = 128;

    /** Bytes behind; a vector store past the end stays inside. */
    private static final int BEHIND = 256;

    private final Operand operand;
    private final long[] strides;
    private final int offset;
    private final int size;

    public Placement(Operand operand, int offset, boolean padded) {
        this.operand = operand;
        this.strides = strides(operand, padded);
        this.offset = BEFORE + aligned(operand.dtype(), offset);
        this.size = Math.toIntExact(this.offset + span(operand, strides) + BEHIND);
    }

    /** Elements lie at multiples of their own size: no device asks for less. */
    private static int aligned(DType dtype, int offset) {
        int unit = dtype.isBlock() ? 2 : dtype.elementBytes();
        return Math.ceilDiv(offset, unit) * unit;
    }

    private static long[] strides(Operand o, boolean padded) {
        long[] given = o.strides();
        if (given != null) {
            return given;
        }
        long[] shape = o.shape();
        long[] strides = new long[shape.length];
        long step = 1;
        for (int i = shape.length - 1; i >= 0; i--) {
            strides[i] = step;
            step *= Math.max(1, shape[i]);
        }
        if (padded && o.canBePadded() && shape.length > 1) {
            // Odd on purpose where the type allows it: the next row starts at no round address.
            strides[0] += o.dtype().isBlock() ? o.dtype().blockElements() : 3;
        }
        return strides;
    }

    private static long span(Operand o, long[] strides) {
        long[] shape = o.shape();
        long last = 0;
        for (int i = 0; i < shape.length; i++) {
            if (shape[i] == 0) {
                return 0;
            }
            last += (shape[i] - 1) * strides[i];
        }
        if (o.dtype().isBlock()) {
            long row = shape[shape.length - 1];
            return o.dtype().rowBytes(last + 1 - row) + o.dtype().rowBytes(row);
        }
        return (last + 1) * o.dtype().blockBytes();
    }

    public Operand operand() {
        return operand;
    }

    /** Bytes of the block. */
    public int size() {
        return size;
    }

    public Tensor tensor(Memory memory) {
        return Tensor.strided(memory, offset, operand.dtype(), operand.shape(), strides);
    }

    /** An image with guard bytes all over, and in it the operand's data, or {@code poison} where it is only written. */
    public byte[] image(byte poison) {
        byte[] image = new byte[size];
        for (int i = 0; i < size; i++) {
            image[i] = (byte) (0xa5 ^ i * 29);
        }
        byte[] data = operand.data();
        if (data == null) {
            data = new byte[elementsBytes()];
            Arrays.fill(data, poison);
        }
        put(image, data);
        return image;
    }

    private int elementsBytes() {
        return Math.toIntExact(Tensor.bytes(operand.dtype(), operand.shape()));
    }

    /** Puts elements, row-major without gaps, at their places. */
    public void put(byte[] image, byte[] elements) {
        int n = unit();
        int[] from = {0};
        eachUnit(at -> {
            System.arraycopy(elements, from[0], image, (int) at, n);
            from[0] += n;
        });
    }

    /** Takes the elements out of an image, row-major without gaps. */
    public byte[] take(byte[] image) {
        byte[] out = new byte[elementsBytes()];
        int n = unit();
        int[] to = {0};
        eachUnit(at -> {
            System.arraycopy(image, (int) at, out, to[0], n);
            to[0] += n;
        });
        return out;
    }

    /** Bytes that are moved at once: a row where rows are in one piece, else an element. */
    private int unit() {
        long[] shape = operand.shape();
        int last = shape.length - 1;
        boolean rows = last >= 0 && (strides[last] == 1 || shape[last] <= 1);
        return Math.toIntExact(operand.dtype().rowBytes(rows ? shape[last] : 1));
    }

    private void eachUnit(LongConsumer place) {
        long[] shape = operand.shape();
        int last = shape.length - 1;
        boolean rows = last >= 0 && (strides[last] == 1 || shape[last] <= 1);
        int outer = rows ? last : shape.length;
        for (long d : shape) {
            if (d == 0) {
                return;
            }
        }
        long[] at = new long[outer];
        while (true) {
            long element = 0;
            for (int i = 0; i < outer; i++) {
                element += at[i] * strides[i];
            }
            place.accept(offset + operand.dtype().rowBytes(element));
            int i = outer - 1;
            while (i >= 0 && ++at[i] == shape[i]) {
                at[i--] = 0;
            }
            if (i < 0) {
                return;
            }
        }
    }

    /** Where two images differ outside the operand's elements: the distance from the view's first byte; or null. */
    public @Nullable String strayWrite(byte[] before, byte[] after) {
        byte[] restored = after.clone();
        put(restored, take(before));
        int at = Arrays.mismatch(before, restored);
        if (at < 0) {
            return null;
        }
        long end = offset + span(operand, strides);
        return at < offset
                ? "wrote " + (offset - at) + " bytes before it"
                : at >= end ? "wrote " + (at - end + 1) + " bytes past its end" : "wrote between its rows";
    }
}
