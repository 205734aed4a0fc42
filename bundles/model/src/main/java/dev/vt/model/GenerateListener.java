package dev.vt.model;

/** Told about a generation as it goes on, on the thread that generates. */
public interface GenerateListener {
    /** Ignores everything. */
    GenerateListener NONE = new GenerateListener() {};

    /** Prompt tokens done so far. */
    default void prompt(int done, int total) {}

    /**
     * A token was generated; the end token too, with what an incomplete character left.
     *
     * @param sequence which of the prompts of a batch
     * @param id token id
     * @param text the text that is complete now; may be empty in the middle of a character
     */
    default void token(int sequence, int id, String text) {}
}
