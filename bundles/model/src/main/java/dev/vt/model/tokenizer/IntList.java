package dev.vt.model.tokenizer;

import java.util.Arrays;

/** A growing list of token ids, for one thread. */
final class IntList {
    private int[] values = new int[16];
    private int size;

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    int[] toArray() {
        return Arrays.copyOf(values, size);
    }
}
