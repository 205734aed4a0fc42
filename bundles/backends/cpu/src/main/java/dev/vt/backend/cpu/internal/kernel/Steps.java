package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Which state each token of a call works on: step i takes tokens {@code from(i)} to {@code to(i)} in their order, with the
 * state {@code slot(i)}. Read from the integer operands and checked, before anything is written. Immutable.
 */
final class Steps {
    private final int[] slots;
    private final int[] starts;

    private Steps(int[] slots, int[] starts) {
        this.slots = slots;
        this.starts = starts;
    }

    /** Sequence n has state n and the tokens from queryStartLoc[n] to queryStartLoc[n + 1]. */
    static Steps sequences(String op, Tensor queryStartLoc, long tokens) {
        Ints given = new Ints(queryStartLoc);
        int[] starts = new int[Math.toIntExact(queryStartLoc.elements())];
        int[] slots = new int[Math.max(0, starts.length - 1)];
        long previous = 0;
        for (int n = 0; n < starts.length; n++) {
            given.check(op, "queryStartLoc", n, n + 1, previous, tokens);
            starts[n] = (int) given.get(n);
            previous = starts[n];
        }
        for (int n = 0; n < slots.length; n++) {
            slots[n] = n;
        }
        return new Steps(slots, starts);
    }

    /** Token b has state stateIndices[b], or state b without indices; a negative index is none. */
    static Steps slots(String op, @Nullable Tensor stateIndices, long tokens, long states) {
        Ints given = stateIndices == null ? null : new Ints(stateIndices);
        int[] slots = new int[Math.toIntExact(tokens)];
        int[] starts = new int[slots.length + 1];
        for (int b = 0; b < slots.length; b++) {
            slots[b] = given == null ? b : (int) given.get(b);
            starts[b + 1] = b + 1;
            if (stateIndices != null && slots[b] >= states) {
                throw Faults.outside(op, "stateIndices", stateIndices, b, 0, states - 1, slots[b]);
            }
        }
        return new Steps(slots, starts);
    }

    int count() {
        return slots.length;
    }

    /** The state of a step; a negative one means: zeros out, no state. */
    int slot(int step) {
        return slots[step];
    }

    int from(int step) {
        return starts[step];
    }

    int to(int step) {
        return starts[step + 1];
    }
}
