package dev.vt.model;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Random weights with mean about 0 and a wanted spread, made in a file's own format. In a block format the small
 * numbers are random bits and the block's scale is fixed, which costs much less than quantising and looks the same to a
 * kernel. The same seed gives the same bytes on every machine. Used by one thread.
 */
final class RandomWeights {
    private static final int CHUNK_BLOCKS = 4096;

    /** SplitMix64 (Steele, Lea and Flood 2014): small, fast, and the same for ever. */
    private long state;

    RandomWeights(long seed) {
        state = seed;
    }

    /** True for the formats that weights can be made in. */
    static boolean makes(DType dtype) {
        return dtype.isFloat() || dtype.isBlock() && dtype != DType.Q8_K;
    }

    /**
     * Writes {@code elements} numbers around {@code mean}, which a block format takes as 0, with a standard deviation.
     */
    void write(OutputStream out, DType dtype, long elements, double mean, double deviation) throws IOException {
        if (!makes(dtype)) {
            throw VtException.invalidArgument(
                    "random weights: expected a float or block format for weights, given " + dtype);
        }
        ByteBuffer chunk =
                ByteBuffer.allocate(CHUNK_BLOCKS * dtype.blockBytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (long blocks = elements / dtype.blockElements(); blocks > 0; ) {
            int count = (int) Math.min(blocks, CHUNK_BLOCKS);
            chunk.clear();
            for (int i = 0; i < count; i++) {
                if (dtype.isBlock()) {
                    block(chunk, dtype, deviation);
                } else {
                    number(chunk, dtype, (float) (mean + deviation * normal()));
                }
            }
            out.write(chunk.array(), 0, chunk.position());
            blocks -= count;
        }
    }

    private static void number(ByteBuffer out, DType dtype, float value) {
        switch (dtype) {
            case F32 -> out.putFloat(value);
            case F16 -> out.putShort(Float.floatToFloat16(value));
            default ->
                out.putShort((short) (Float.floatToIntBits(value) + 0x8000 >>> 16)); // bf16; finite, so no carry out
        }
    }

    /**
     * A block of random bits whose scales are then set. Each divisor is the standard deviation that the format's
     * formula has for evenly spread bits and a scale of 1; a minimum is set so that the mean is 0.
     */
    private void block(ByteBuffer out, DType dtype, double deviation) {
        int at = out.position();
        int end = at + dtype.blockBytes();
        while (end - out.position() >= Long.BYTES) {
            out.putLong(next());
        }
        for (long bits = next(); out.position() < end; bits >>>= 8) {
            out.put((byte) bits);
        }
        switch (dtype) {
            case Q4_0 -> half(out, at, deviation / 4.6);
            case Q5_0 -> half(out, at, deviation / 9.2);
            case Q8_0 -> half(out, at, deviation / 74);
            case IQ4_NL -> half(out, at, deviation / 69);
            case Q2_K -> {
                half(out, at + 80, deviation / 13.9);
                half(out, at + 82, deviation / 13.9 * 1.5);
            }
            case Q3_K -> half(out, at + 108, deviation / 43);
            case Q4_K -> {
                half(out, at, deviation / 258);
                half(out, at + 2, deviation / 258 * 7.5);
            }
            case Q5_K -> {
                half(out, at, deviation / 527);
                half(out, at + 2, deviation / 527 * 15.5);
            }
            case Q6_K -> half(out, at + 208, deviation / 1367);
            default ->
                out.put(at, (byte) (127 + Math.getExponent(deviation / 2.93))); // mxfp4: the scale is a power of two
        }
    }

    private static void half(ByteBuffer out, int at, double value) {
        out.putShort(at, Float.floatToFloat16((float) value));
    }

    /** Near a normal distribution: the sum of four even numbers of 16 bits, brought to mean 0 and deviation 1. */
    private double normal() {
        long bits = next();
        long sum = (bits & 0xFFFF) + (bits >>> 16 & 0xFFFF) + (bits >>> 32 & 0xFFFF) + (bits >>> 48);
        return (sum / 65536.0 - 2) * Math.sqrt(3);
    }

    private long next() {
        state += 0x9E37_79B9_7F4A_7C15L;
        long z = state;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
