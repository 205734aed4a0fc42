package dev.vt.model.tokenizer;

import org.jspecify.annotations.Nullable;

/** What a vocabulary's entry is; the order gives the numbers in a file, which start at 1. */
enum TokenType {
    NORMAL,
    UNKNOWN,
    CONTROL,
    /** Matched as a whole wherever a text has it, before anything else. */
    USER_DEFINED,
    UNUSED,
    /** Stands for one byte and is spelled {@code <0x0A>}. */
    BYTE;

    private static final TokenType[] ALL = values();

    static @Nullable TokenType of(int number) {
        return number >= 1 && number <= ALL.length ? ALL[number - 1] : null;
    }
}
