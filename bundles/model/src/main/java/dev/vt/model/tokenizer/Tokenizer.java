package dev.vt.model.tokenizer;

/** Text to token ids and back. Immutable; any thread may use it. */
public interface Tokenizer {
    /** Number of ids. */
    int size();

    /** The ids of a text, with the begin token in front where the model wants one. */
    int[] encode(String text);

    /** The bytes that a token stands for; empty for control tokens. */
    byte[] bytes(int id);
}
