package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BlockFormatTest {
    private static final List<DType> ENCODABLE = List.of(DType.Q8_0, DType.Q4_0);

    private static float[] decode(DType dtype, byte[] bytes) {
        int n = bytes.length / dtype.blockBytes() * dtype.blockElements();
        float[] out = new float[n + 2];
        byte[] shifted = new byte[bytes.length + 3];
        System.arraycopy(bytes, 0, shifted, 3, bytes.length);
        BlockFormat.of(dtype).decodeRow(MemorySegment.ofArray(shifted), 3, n, out, 1);
        assertEquals(0f, out[0]);
        assertEquals(0f, out[n + 1]);
        return Arrays.copyOfRange(out, 1, n + 1);
    }

    private static byte[] encode(DType dtype, float... values) {
        byte[] bytes = new byte[(int) dtype.rowBytes(values.length)];
        BlockFormat.of(dtype).encodeRow(values, 0, values.length, MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    private static float[] fill(float value) {
        float[] x = new float[32];
        Arrays.fill(x, value);
        return x;
    }

    /** A block with an f16 of 0.5 at each given place and zeros elsewhere. */
    private static ByteBuffer block(DType dtype, int... scales) {
        ByteBuffer b = ByteBuffer.allocate(dtype.blockBytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int at : scales) {
            b.putShort(at, Float.floatToFloat16(0.5f));
        }
        return b;
    }

    @Test
    @DisplayName("a format for every block type, none for a plain one")
    void list() {
        for (DType dtype : DType.values()) {
            assertEquals(dtype.isBlock(), BlockFormat.find(dtype).isPresent(), dtype.label());
            if (dtype.isBlock()) {
                assertEquals(dtype, BlockFormat.of(dtype).dtype());
                assertEquals(ENCODABLE.contains(dtype), BlockFormat.of(dtype).canEncode(), dtype.label());
            }
        }
        assertThrows(VtException.class, () -> BlockFormat.of(DType.F32));
        assertThrows(VtException.class, () -> encode(DType.Q4_K, new float[256]));
    }

    @Test
    @DisplayName("q8_0, q4_0, q5_0: blocks computed by hand")
    void simpleBlocks() {
        ByteBuffer q8 =
                block(DType.Q8_0, 0).put(2, (byte) -128).put(3, (byte) 127).put(33, (byte) 3);
        float[] x = decode(DType.Q8_0, q8.array());
        assertEquals(-64f, x[0]);
        assertEquals(63.5f, x[1]);
        assertEquals(0f, x[2]);
        assertEquals(1.5f, x[31]);

        float[] y = decode(
                DType.Q4_0,
                block(DType.Q4_0, 0).put(2, (byte) 0xf0).put(17, (byte) 0x3a).array());
        assertEquals(-4f, y[0]);
        assertEquals(3.5f, y[16]);
        assertEquals(1f, y[15]);
        assertEquals(-2.5f, y[31]);

        // Fifth bits of elements 0 and 31.
        float[] z = decode(
                DType.Q5_0,
                block(DType.Q5_0, 0)
                        .putInt(2, 0x80000001)
                        .put(6, (byte) 0x21)
                        .put(21, (byte) 0xf0)
                        .array());
        assertEquals(0.5f, z[0]);
        assertEquals(-7f, z[16]);
        assertEquals(-8f, z[15]);
        assertEquals(7.5f, z[31]);
    }

    @Test
    @DisplayName("iq4_nl, mxfp4, q8_K: blocks computed by hand")
    void tableBlocks() {
        float[] x = decode(
                DType.IQ4_NL,
                block(DType.IQ4_NL, 0).put(2, (byte) 0xf0).put(3, (byte) 0x87).array());
        assertEquals(-63.5f, x[0]);
        assertEquals(56.5f, x[16]);
        assertEquals(-5f, x[1]);
        assertEquals(0.5f, x[17]);

        byte[] m = new byte[17];
        m[0] = (byte) 128;
        m[1] = (byte) 0xf7;
        m[2] = (byte) 0x91;
        float[] y = decode(DType.MXFP4, m);
        assertEquals(12f, y[0]);
        assertEquals(-12f, y[16]);
        assertEquals(1f, y[1]);
        assertEquals(-1f, y[17]);
        m[0] = 0;
        assertEquals(0x1p-128f, decode(DType.MXFP4, m)[1]);
        m[0] = (byte) 255;
        assertTrue(Float.isNaN(decode(DType.MXFP4, m)[0]));

        ByteBuffer k = ByteBuffer.allocate(292).order(ByteOrder.LITTLE_ENDIAN).putFloat(0, 0.25f);
        float[] z = decode(DType.Q8_K, k.put(4, (byte) -3).put(259, (byte) 100).array());
        assertEquals(-0.75f, z[0]);
        assertEquals(25f, z[255]);
    }

    @Test
    @DisplayName("q2_K, q3_K, q4_K, q5_K, q6_K: blocks computed by hand")
    void superBlocks() {
        // Element 200 of q2_K: second half, third pair of bits, byte 8 of the first 16: scale 12.
        ByteBuffer q2 = block(DType.Q2_K, 80, 82).put(12, (byte) 0x35).put(16 + 32 + 8, (byte) 0x20);
        float[] a = decode(DType.Q2_K, q2.array());
        assertEquals(0.5f * 5 * 2 - 0.5f * 3, a[200]);
        assertEquals(-1.5f, a[201]);
        assertEquals(0f, a[0]);

        // Element 40 of q3_K: bit pair 1 of code byte 8, third bit 1 of byte 8, scale 2 = 3 | 1 << 4, less 32.
        ByteBuffer q3 = block(DType.Q3_K, 108)
                .put(8, (byte) 2)
                .put(32 + 8, (byte) 0x0c)
                .put(96 + 2, (byte) 3)
                .put(96 + 8 + 2, (byte) 1);
        float[] b = decode(DType.Q3_K, q3.array());
        assertEquals(0.5f * (19 - 32) * 3, b[40]);
        assertEquals(0.5f * (19 - 32) * -4, b[41]);

        // Scale 5 of q4_K: low four bits in byte 9, high two on top of byte 1; minimum 5: high four of byte 9, top of
        // byte 5.
        ByteBuffer q4 = block(DType.Q4_K, 0, 2)
                .put(4 + 9, (byte) 0x21)
                .put(4 + 1, (byte) 0x40)
                .put(4 + 5, (byte) 0x80)
                .put(16 + 64, (byte) 0x70);
        float[] c = decode(DType.Q4_K, q4.array());
        assertEquals(0.5f * 17 * 7 - 0.5f * 34, c[160]);
        assertEquals(-17f, c[161]);

        ByteBuffer q5 = block(DType.Q5_K, 0, 2)
                .put(4 + 1, (byte) 9)
                .put(16 + 3, (byte) 2)
                .put(48 + 3, (byte) 0x60);
        float[] d = decode(DType.Q5_K, q5.array());
        assertEquals(0.5f * 9 * 22, d[35]);
        assertEquals(0f, d[3]);

        // Element 250 of q6_K: run 3 of the second half, place 26: nibble byte 64 + 32 + 26 (high), pair byte 32 + 26.
        ByteBuffer q6 = block(DType.Q6_K, 208)
                .put(122, (byte) 0x50)
                .put(128 + 58, (byte) 0x80)
                .put(192 + 15, (byte) -2);
        float[] e = decode(DType.Q6_K, q6.array());
        assertEquals(0.5f * -2 * (37 - 32), e[250]);
        assertEquals(32f, e[251]);
    }

    @Test
    @DisplayName("O5.5 all zeros, of either sign, give scale 0 and decode to zeros")
    void zeros() {
        for (DType dtype : ENCODABLE) {
            for (float zero : new float[] {0f, -0f}) {
                byte[] bytes = encode(dtype, fill(zero));
                assertEquals(0, bytes[0] | bytes[1]);
                assertArrayEquals(fill(0f), decode(dtype, bytes));
            }
        }
    }

    @Test
    @DisplayName("O5.5 one denormal among zeros becomes a block of zeros")
    void denormal() {
        for (DType dtype : ENCODABLE) {
            for (float tiny : new float[] {Float.MIN_VALUE, -Float.MIN_VALUE, 1e-39f}) {
                float[] x = fill(0f);
                x[7] = tiny;
                for (float y : decode(dtype, encode(dtype, x))) {
                    assertEquals(0f, y, dtype.label());
                }
            }
        }
    }

    @Test
    @DisplayName("O5.5 the largest float, infinities and NaN make the block NaN, never a wrong number")
    void notRepresentable() {
        for (DType dtype : ENCODABLE) {
            for (float bad : new float[] {
                Float.MAX_VALUE, -Float.MAX_VALUE, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN
            }) {
                float[] x = fill(1f);
                x[31] = bad;
                for (float y : decode(dtype, encode(dtype, x))) {
                    assertTrue(Float.isNaN(y), dtype + " of " + bad + " gave " + y);
                }
            }
        }
    }

    @Test
    @DisplayName("encoded numbers come back within half a step")
    void roundTrip() {
        SplittableRandom random = new SplittableRandom(9);
        for (DType dtype : ENCODABLE) {
            for (float size : new float[] {1e-3f, 1f, 1e4f}) {
                float[] x = new float[96];
                for (int i = 0; i < x.length; i++) {
                    x[i] = (float) random.nextDouble(-size, size);
                }
                float[] y = decode(dtype, encode(dtype, x));
                // q4_0 reaches +7 of its own scale only, so the far side may be a whole step off.
                double step = dtype == DType.Q8_0 ? size / 127 * 0.51 : size / 8 * 1.01;
                for (int i = 0; i < x.length; i++) {
                    assertEquals(x[i], y[i], step, dtype + " element " + i);
                }
                assertFalse(Arrays.equals(x, y));
            }
        }
    }
}
