package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * The block formats element by element, in double, written from the format description and apart from the code under
 * test.
 */
final class BlockReference {
    private BlockReference() {}

    /** Blocks of random codes with scales of about 0.01. */
    static byte[] randomBlocks(DType dtype, int blocks, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] bytes = new byte[blocks * dtype.blockBytes()];
        random.nextBytes(bytes);
        ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < blocks; i++) {
            int at = i * dtype.blockBytes();
            switch (dtype) {
                case Q8_K -> b.putFloat(at, 0.01f);
                case MXFP4 -> bytes[at] = (byte) (120 + random.nextInt(4));
                case Q2_K -> putScales(b, random, at + 80, at + 82);
                case Q3_K -> putScales(b, random, at + 108);
                case Q4_K, Q5_K -> putScales(b, random, at, at + 2);
                case Q6_K -> putScales(b, random, at + 208);
                default -> putScales(b, random, at);
            }
        }
        return bytes;
    }

    /** A tensor of random blocks at a byte offset. */
    static Tensor random(DType dtype, long offset, long seed, long rows, long cols) {
        byte[] bytes = randomBlocks(dtype, (int) (rows * cols / dtype.blockElements()), seed);
        HostBlock block = new HostBlock(offset + bytes.length);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, block.segment(), offset, bytes.length);
        return Tensor.of(block, offset, dtype, rows, cols);
    }

    static double[] read(Tensor t) {
        byte[] bytes = t.segment().asSlice(t.offset(), t.byteSpan()).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        double[] out = new double[(int) t.elements()];
        for (int i = 0; i < out.length; i++) {
            out[i] = element(t.dtype(), bytes, i);
        }
        return out;
    }

    private static void putScales(ByteBuffer b, SplittableRandom random, int... places) {
        for (int at : places) {
            b.putShort(at, Float.floatToFloat16((float) random.nextDouble(0.005, 0.015)));
        }
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
            default -> throw new IllegalArgumentException(dtype.label());
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
