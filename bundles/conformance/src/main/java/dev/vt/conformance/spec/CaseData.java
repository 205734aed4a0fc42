package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;

/** Random data of every dtype with a pattern in it. One thread. */
final class CaseData {
    /** How many elements at a row's end are made larger. */
    private static final int TAIL = 3;

    /** Elements after which cheap data comes again: odd, so that rows differ. */
    private static final int PERIOD = 65521;

    private final SplittableRandom random;
    private final Pattern pattern;

    CaseData(SplittableRandom random, Pattern pattern) {
        this.random = random;
        this.pattern = pattern;
    }

    byte[] patterned(DType dtype, long... shape) {
        return dtype.isBlock() ? RandomBlocks.make(random, pattern, dtype, shape) : floats(dtype, pattern, shape);
    }

    byte[] normal(DType dtype, long... shape) {
        return dtype.isBlock()
                ? RandomBlocks.make(random, Pattern.NORMAL, dtype, shape)
                : floats(dtype, Pattern.NORMAL, shape);
    }

    byte[] repeating(DType dtype, long... shape) {
        byte[] out = new byte[Math.toIntExact(Tensor.bytes(dtype, shape))];
        byte[] once = floats(dtype, Pattern.NORMAL, PERIOD);
        for (int at = 0; at < out.length; at += once.length) {
            System.arraycopy(once, 0, out, at, Math.min(once.length, out.length - at));
        }
        return out;
    }

    private byte[] floats(DType dtype, Pattern p, long... shape) {
        ByteBuffer out = buffer(dtype, shape);
        long row = shape.length == 0 ? 1 : shape[shape.length - 1];
        while (out.hasRemaining()) {
            for (long i = 0; i < row; i++) {
                Floats.put(out, dtype, value(dtype, p, i, row));
            }
        }
        return out.array();
    }

    private double value(DType dtype, Pattern p, long i, long row) {
        double normal = random.nextGaussian();
        return switch (p) {
            case NORMAL -> i >= row - TAIL && row > TAIL ? 3 * normal : normal;
            case NAN_FIRST -> i == 0 ? Double.NaN : normal;
            case NAN_MIDDLE -> i == row / 2 ? Double.NaN : normal;
            case NAN_LAST -> i == row - 1 ? Double.NaN : normal;
            case NAN_ALL -> Double.NaN;
            case INFINITE -> i == row / 2 ? Double.POSITIVE_INFINITY : normal;
            case MINUS_INFINITE -> i == row / 2 ? Double.NEGATIVE_INFINITY : normal;
            case NAN_AND_INFINITE ->
                switch ((int) (i % 4)) {
                    case 0 -> Double.POSITIVE_INFINITY;
                    case 1 -> normal;
                    case 2 -> i == 2 ? Double.NaN : normal;
                    default -> Double.NEGATIVE_INFINITY;
                };
            case DENORMAL -> normal * (dtype == DType.F16 ? 2e-5 : 1e-39);
            case ZERO -> i % 2 == 0 ? 0.0 : -0.0;
            case LARGE -> Math.copySign(Floats.max(dtype) * random.nextDouble(0.5, 1), normal);
            case TIES -> random.nextInt(-2, 3);
        };
    }

    static byte[] integers(DType dtype, LongUnaryOperator value, long... shape) {
        ByteBuffer out = buffer(dtype, shape);
        for (long i = 0; out.hasRemaining(); i++) {
            long v = value.applyAsLong(i);
            switch (dtype) {
                case I8 -> out.put((byte) v);
                case I32 -> out.putInt((int) v);
                case I64 -> out.putLong(v);
                default -> throw VtException.invalidArgument("expected an integer dtype, given " + dtype);
            }
        }
        return out.array();
    }

    static ByteBuffer buffer(DType dtype, long... shape) {
        return ByteBuffer.allocate(Math.toIntExact(Tensor.bytes(dtype, shape))).order(ByteOrder.LITTLE_ENDIAN);
    }
}
