package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Random blocks of the block encodings. What they hold is read by the backend's own formats: that these are right is for
 * {@code BlockFormatTest}, with blocks computed by hand, and for the conformance kit, which has a decoder of its own.
 */
final class RandomBlocks {
    private RandomBlocks() {}

    /** Blocks of random codes with scales of about 0.01. */
    private static byte[] bytes(DType dtype, int blocks, long seed) {
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
        byte[] bytes = bytes(dtype, (int) (rows * cols / dtype.blockElements()), seed);
        HostBlock block = new HostBlock(offset + bytes.length);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, block.segment(), offset, bytes.length);
        return Tensor.of(block, offset, dtype, rows, cols);
    }

    /** All elements of a tensor of whole blocks. */
    static double[] read(Tensor t) {
        float[] row = new float[(int) t.elements()];
        BlockFormat.of(t.dtype()).decodeRow(t.segment(), t.offset(), row.length, row, 0);
        double[] out = new double[row.length];
        for (int i = 0; i < row.length; i++) {
            out[i] = row[i];
        }
        return out;
    }

    private static void putScales(ByteBuffer b, SplittableRandom random, int... places) {
        for (int at : places) {
            b.putShort(at, Float.floatToFloat16((float) random.nextDouble(0.005, 0.015)));
        }
    }
}
