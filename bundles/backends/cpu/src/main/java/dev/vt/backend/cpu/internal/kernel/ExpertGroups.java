package dev.vt.backend.cpu.internal.kernel;

import java.util.Arrays;

/** Rows in the order of their experts, cut into pieces of one expert each. Immutable once made. */
final class ExpertGroups {
    private final int[] rows;
    private final int[] pieceExpert;
    private final int[] pieceStart;

    /** Groups {@code count} rows, whose experts are known to lie in 0..experts - 1, into pieces of at most {@code longest}. */
    ExpertGroups(Ints expertIds, int count, int experts, int longest) {
        int[] start = new int[experts + 1];
        for (int p = 0; p < count; p++) {
            start[(int) expertIds.get(p) + 1]++;
        }
        for (int e = 0; e < experts; e++) {
            start[e + 1] += start[e];
        }
        int[] next = Arrays.copyOf(start, experts);
        rows = new int[count];
        for (int p = 0; p < count; p++) {
            rows[next[(int) expertIds.get(p)]++] = p;
        }
        int pieces = 0;
        for (int e = 0; e < experts; e++) {
            pieces += Math.ceilDiv(start[e + 1] - start[e], longest);
        }
        pieceExpert = new int[pieces];
        pieceStart = new int[pieces + 1];
        pieceStart[pieces] = count;
        int piece = 0;
        for (int e = 0; e < experts; e++) {
            for (int at = start[e]; at < start[e + 1]; at += longest) {
                pieceExpert[piece] = e;
                pieceStart[piece++] = at;
            }
        }
    }

    int pieces() {
        return pieceExpert.length;
    }

    int expert(int piece) {
        return pieceExpert[piece];
    }

    int size(int piece) {
        return pieceStart[piece + 1] - pieceStart[piece];
    }

    /** The i-th row of a piece. */
    int row(int piece, long i) {
        return rows[pieceStart[piece] + (int) i];
    }
}
