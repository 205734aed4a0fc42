package dev.vt.conformance.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit's decoder of block encodings beside the one that the CPU's kernels use; the two share no code. */
class BlockDecoderTest {
    private static final int BLOCKS = 5;

    private static final List<Pattern> PATTERNS =
            List.of(Pattern.NORMAL, Pattern.ZERO, Pattern.LARGE, Pattern.DENORMAL, Pattern.INFINITE, Pattern.NAN_FIRST);

    static Stream<DType> encodings() {
        return Arrays.stream(DType.values()).filter(DType::isBlock);
    }

    @ParameterizedTest
    @MethodSource("encodings")
    @DisplayName("all elements of blocks of every encoding are those that the CPU's kernels read")
    void same(DType dtype) {
        for (Pattern pattern : PATTERNS) {
            byte[] blocks = dtype == DType.Q8_K ? wideScales() : blocks(dtype, pattern);
            double[] expected = BlockDecoder.decode(dtype, blocks);
            float[] got = new float[expected.length];
            BlockFormat.of(dtype).decodeRow(MemorySegment.ofArray(blocks), 0, got.length, got, 0);
            // One rounding of each of two terms, which may cancel.
            double largest = Arrays.stream(expected)
                    .map(Math::abs)
                    .filter(Double::isFinite)
                    .max()
                    .orElse(0);
            for (int i = 0; i < got.length; i++) {
                assertEquals(
                        (float) expected[i], got[i], (float) (1e-6 * largest), dtype + " " + pattern + " element " + i);
            }
        }
    }

    private static byte[] blocks(DType dtype, Pattern pattern) {
        return RandomBlocks.make(new SplittableRandom(42), pattern, dtype, 1, (long) BLOCKS * dtype.blockElements());
    }

    /** The kit makes no q8_K, which files don't hold. */
    private static byte[] wideScales() {
        SplittableRandom random = new SplittableRandom(7);
        int size = DType.Q8_K.blockBytes();
        ByteBuffer blocks = ByteBuffer.allocate(BLOCKS * size).order(ByteOrder.LITTLE_ENDIAN);
        random.nextBytes(blocks.array());
        for (int i = 0; i < BLOCKS; i++) {
            blocks.putFloat(i * size, (float) random.nextDouble(-0.02, 0.02));
        }
        return blocks.array();
    }

    @Test
    @DisplayName("a plain type has no blocks")
    void plain() {
        assertThrows(VtException.class, () -> BlockDecoder.element(DType.BF16, new byte[2], 0));
    }
}
