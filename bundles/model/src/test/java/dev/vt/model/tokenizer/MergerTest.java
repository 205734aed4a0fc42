package dev.vt.model.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

class MergerTest {
    /** Tokens 0 to 3 are letters; pairs of lower tokens make higher ones. */
    private static final int LETTERS = 4;

    @Test
    @DisplayName("The queue gives what trying every pair again and again gives, for random rules and texts")
    void sameAsNaive() {
        Random random = new Random(7);
        for (int round = 0; round < 2000; round++) {
            PairTable rules = new PairTable(32);
            int token = LETTERS;
            for (int i = 0; i < 24; i++) {
                rules.add(random.nextInt(token), random.nextInt(token), random.nextInt(8), token++);
            }
            int[] ids = random.ints(random.nextInt(40), -1, LETTERS).toArray();
            assertEquals(naive(rules, ids), merged(rules, ids));
        }
    }

    @Test
    @DisplayName("A word of a million letters is merged")
    void longWord(TestReporter reporter) {
        PairTable rules = new PairTable(20);
        for (int i = 0; i < 20; i++) {
            rules.add(i, i, i, i + 1);
        }
        int length = 1 << 20;
        long start = System.nanoTime();
        assertEquals(List.of(20), merged(rules, new int[length]));
        reporter.publishEntry("milliseconds", Long.toString((System.nanoTime() - start) / 1_000_000));
    }

    private static List<Integer> merged(PairTable rules, int[] ids) {
        int[] bounds = new int[ids.length + 1];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = i;
        }
        List<Integer> out = new ArrayList<>();
        int[] position = {0};
        new Merger(rules, ids.clone(), bounds).run((id, start, end) -> {
            assertEquals(position[0], start);
            position[0] = end;
            out.add(id);
        });
        assertEquals(ids.length, position[0]);
        return out;
    }

    private static List<Integer> naive(PairTable rules, int[] ids) {
        List<Integer> out = new ArrayList<>();
        for (int id : ids) {
            out.add(id);
        }
        while (true) {
            int best = -1;
            long bestMerge = Long.MAX_VALUE;
            for (int i = 0; i + 1 < out.size(); i++) {
                long merge = rules.find(out.get(i), out.get(i + 1), 0, 0);
                if (merge != Merger.Rules.NONE && (best < 0 || merge >>> 32 < bestMerge >>> 32)) {
                    best = i;
                    bestMerge = merge;
                }
            }
            if (best < 0) {
                return out;
            }
            out.set(best, (int) bestMerge);
            out.remove(best + 1);
        }
    }
}
