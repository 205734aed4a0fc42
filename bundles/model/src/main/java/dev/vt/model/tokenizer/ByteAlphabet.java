package dev.vt.model.tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The 256 characters by which GPT-2 style vocabularies spell bytes (Radford et al. 2019): the printable ones of Latin-1
 * stand for themselves, the others for the characters from U+0100 on, in order. Stateless.
 */
final class ByteAlphabet {
    private static final char[] CHARACTERS = new char[256];
    private static final int[] BYTES = new int[256 + 68];

    static {
        Arrays.fill(BYTES, -1);
        char other = 256;
        for (int b = 0; b < 256; b++) {
            boolean printable = b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE;
            CHARACTERS[b] = printable ? (char) b : other++;
            BYTES[CHARACTERS[b]] = b;
        }
    }

    private ByteAlphabet() {}

    /** The character that stands for a byte. */
    static char character(int value) {
        return CHARACTERS[value];
    }

    /** The bytes as a vocabulary spells them. */
    static String spell(byte[] bytes) {
        StringBuilder out = new StringBuilder(bytes.length);
        for (byte b : bytes) {
            out.append(CHARACTERS[Byte.toUnsignedInt(b)]);
        }
        return out.toString();
    }

    /** The bytes that a vocabulary's token stands for; characters outside the alphabet stand for themselves. */
    static byte[] bytes(String token) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(token.length());
        token.codePoints().forEach(c -> {
            if (c < BYTES.length && BYTES[c] >= 0) {
                out.write(BYTES[c]);
            } else {
                out.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
            }
        });
        return out.toByteArray();
    }
}
