package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The block encodings of the GGUF format element by element, in double: slow, written from the format description, and apart from
 * any kernel. Pure functions, any thread.
 */
public final class BlockDecoder {
    private BlockDecoder() {}

    /** All elements of whole blocks. */
    public static double[] decode(DType dtype, byte[] bytes) {
        double[] out = new double[bytes.length / dtype.blockBytes() * dtype.blockElements()];
        for (int i = 0; i < out.length; i++) {
            out[i] = element(dtype, bytes, i);
        }
        return out;
    }

    /** Element i of a row of blocks. */
    static double element(DType dtype, byte[] bytes, int i) {
        ByteBuffer b = ByteBuffer.wrap(bytes, i / dtype.blockElements() * dtype.blockBytes(), dtype.blockBytes())
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN);
        int e = i % dtype.blockElements();
        return switch (dtype) {
            case Q8_0 -> half(b, 0) * b.get(2 + e);
            case Q4_0 -> half(b, 0) * (nibble(b, 2, e, 16) - 8);
            case Q5_0 -> half(b, 0) * (nibble(b, 6, e, 16) + 16 * bit(b, 2 + e / 8, e % 8) - 16);
            case IQ4_NL ->
                half(b, 0)
                        * new int[] {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}
                                [nibble(b, 2, e, 16)];
            case MXFP4 ->
                Math.pow(2, (b.get(0) & 255) - 127)
                        * new double[] {0, .5, 1, 1.5, 2, 3, 4, 6, 0, -.5, -1, -1.5, -2, -3, -4, -6}
                                [nibble(b, 1, e, 16)];
            case Q8_K -> b.getFloat(0) * b.get(4 + e);
            case Q2_K ->
                half(b, 80) * (b.get(e / 16) & 15) * pair(b, 16, e) - half(b, 82) * ((b.get(e / 16) & 255) >> 4);
            case Q3_K ->
                half(b, 108)
                        * (threeBitScale(b, e / 16) - 32)
                        * (pair(b, 32, e) - (bit(b, e % 32, e / 32) == 1 ? 0 : 4));
            case Q4_K ->
                half(b, 0) * scale(b, e / 32) * nibble(b, 16 + e / 64 * 32, e % 64, 32) - half(b, 2) * min(b, e / 32);
            case Q5_K ->
                half(b, 0)
                                * scale(b, e / 32)
                                * (nibble(b, 48 + e / 64 * 32, e % 64, 32) + 16 * bit(b, 16 + e % 32, e / 32))
                        - half(b, 2) * min(b, e / 32);
            case Q6_K -> half(b, 208) * b.get(192 + e / 16) * (sixBits(b, e) - 32);
            default -> throw VtException.invalidArgument("expected a block type, given " + dtype);
        };
    }

    private static double half(ByteBuffer b, int at) {
        return Float.float16ToFloat(b.getShort(at));
    }

    private static int bit(ByteBuffer b, int at, int n) {
        return b.get(at) >> n & 1;
    }

    /** Runs of {@code run} low nibbles, then as many high ones. */
    private static int nibble(ByteBuffer b, int base, int e, int run) {
        return e < run ? b.get(base + e) & 15 : b.get(base + e - run) >> 4 & 15;
    }

    private static int pair(ByteBuffer b, int base, int e) {
        return b.get(base + e / 128 * 32 + e % 32) >> e % 128 / 32 * 2 & 3;
    }

    private static int threeBitScale(ByteBuffer b, int j) {
        long low = b.getLong(96);
        int high = b.getInt(104);
        int four = (int) (low >>> (j % 8 * 8 + j / 8 * 4)) & 15;
        return four + 16 * (high >>> (j % 4 * 8 + j / 4 * 2) & 3);
    }

    private static int scale(ByteBuffer b, int j) {
        return j < 4 ? b.get(4 + j) & 63 : (b.get(8 + j) & 15) + 16 * (b.get(j) >> 6 & 3);
    }

    private static int min(ByteBuffer b, int j) {
        return j < 4 ? b.get(8 + j) & 63 : (b.get(8 + j) >> 4 & 15) + 16 * (b.get(4 + j) >> 6 & 3);
    }

    private static int sixBits(ByteBuffer b, int e) {
        int half = e / 128;
        int run = e % 128 / 32;
        int l = e % 32;
        int low = b.get(half * 64 + run % 2 * 32 + l) >> (run < 2 ? 0 : 4) & 15;
        return low + 16 * (b.get(128 + half * 32 + l) >> 2 * run & 3);
    }
}
