package dev.vt.model.tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/** Text to token ids and back. Immutable; any thread may use it. */
public interface Tokenizer {
    /** Number of ids. */
    int size();

    /**
     * The ids of a text, with the begin token in front where the model wants one. Text that looks like a control token
     * is plain text, so a prompt from elsewhere can't smuggle one in.
     */
    default int[] encode(String text) {
        return encode(text, false);
    }

    /** The ids of a text; {@code control} says whether control tokens that the text spells out count as such. */
    int[] encode(String text, boolean control);

    /** The bytes that a token stands for; empty for control tokens. */
    byte[] bytes(int id);

    /** The token as the vocabulary spells it. */
    String token(int id);

    /** The token that begins a text, where the model has one. */
    OptionalInt begin();

    /** The token that ends a text, where the model has one. */
    OptionalInt end();

    /** True for each token after which a model says no more: end of text, end of turn. */
    boolean isEnd(int id);

    /** The text of ids that {@link #encode} made; a space that it put in front is taken away again. */
    String decode(int... ids);

    /** A decoder for ids that come one by one. */
    default TokenStream stream() {
        return new TokenStream(this);
    }

    /** The bytes of several tokens as text; what is no UTF-8 becomes U+FFFD. */
    default String text(int... ids) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int id : ids) {
            out.writeBytes(bytes(id));
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
