package dev.vt.model.tokenizer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Finds the tokens that are matched as a whole before a text is cut further: those that a vocabulary defines so and,
 * when asked for, control tokens. The leftmost match wins, then the longest. Immutable; any thread may use it.
 */
final class TextSplitter {
    private final Vocabulary vocabulary;
    private final Map<Character, List<Integer>> byFirst = new HashMap<>();

    TextSplitter(Vocabulary vocabulary) {
        this.vocabulary = vocabulary;
        for (int id = 0; id < vocabulary.size(); id++) {
            TokenType type = vocabulary.type(id);
            boolean whole = type == TokenType.CONTROL || type == TokenType.USER_DEFINED || type == TokenType.UNKNOWN;
            if (whole && !vocabulary.token(id).isEmpty()) {
                byFirst.computeIfAbsent(vocabulary.token(id).charAt(0), c -> new ArrayList<>())
                        .add(id);
            }
        }
        Comparator<Integer> longestFirst =
                Comparator.comparingInt(id -> -vocabulary.token(id).length());
        byFirst.values().forEach(ids -> ids.sort(longestFirst));
    }

    /** Hands out the pieces of a text in order: plain text, which is never empty, and matched tokens. */
    void split(String text, boolean control, Consumer<String> plain, IntConsumer token) {
        int start = 0;
        int i = 0;
        while (i < text.length()) {
            int id = match(text, i, control);
            if (id < 0) {
                i++;
                continue;
            }
            if (i > start) {
                plain.accept(text.substring(start, i));
            }
            token.accept(id);
            i += vocabulary.token(id).length();
            start = i;
        }
        if (start < text.length()) {
            plain.accept(text.substring(start));
        }
    }

    private int match(String text, int at, boolean control) {
        for (int id : byFirst.getOrDefault(text.charAt(at), List.of())) {
            if ((control || vocabulary.type(id) == TokenType.USER_DEFINED)
                    && text.startsWith(vocabulary.token(id), at)) {
                return id;
            }
        }
        return -1;
    }
}
