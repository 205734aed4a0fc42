package dev.vt.model.tokenizer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Turns tokens that come one by one into text. A character whose bytes are spread over tokens is kept back until it is
 * complete; bytes that can't become a character turn into U+FFFD. Owned by one generation and used by one thread at a
 * time.
 */
public final class TokenStream {
    private final Tokenizer tokenizer;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private byte[] pending = {};

    TokenStream(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /** The text that this token completes; may be empty. */
    public String next(int id) {
        return decode(tokenizer.bytes(id), false);
    }

    /** What was kept back and will never be complete; the stream starts afresh. */
    public String finish() {
        String rest = decode(new byte[0], true);
        decoder.reset();
        return rest;
    }

    private String decode(byte[] more, boolean last) {
        ByteBuffer in = ByteBuffer.allocate(pending.length + more.length)
                .put(pending)
                .put(more)
                .flip();
        // A byte gives one character at most; flush may add one for an incomplete sequence.
        CharBuffer out = CharBuffer.allocate(in.remaining() + 1);
        decoder.decode(in, out, last);
        if (last) {
            decoder.flush(out);
        }
        pending = new byte[in.remaining()];
        in.get(pending);
        return out.flip().toString();
    }
}
