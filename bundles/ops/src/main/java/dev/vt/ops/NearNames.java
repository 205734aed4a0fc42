package dev.vt.ops;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Finds the names that a mistyped one may have meant: the same but for case and separators, those that begin with it or contain
 * it, and those a few typing errors away. Pure functions, any thread.
 */
public final class NearNames {
    /** More than these help nobody. */
    private static final int LIMIT = 5;

    private NearNames() {}

    /** The near ones of {@code names}, the nearest first, then by name; at most five. */
    public static List<String> near(String given, Collection<String> names) {
        String wanted = plain(given);
        return names.stream()
                .distinct()
                .map(name -> new Match(name, score(wanted, plain(name))))
                .filter(match -> match.score < Integer.MAX_VALUE)
                .sorted(Comparator.comparingInt(Match::score).thenComparing(Match::name))
                .limit(LIMIT)
                .map(Match::name)
                .toList();
    }

    /** The end of an error's sentence: {@code "; near names: a, b"}, or nothing when none comes near. */
    public static String hint(String given, Collection<String> names) {
        List<String> near = near(given, names);
        return near.isEmpty() ? "" : "; near names: " + String.join(", ", near);
    }

    private record Match(String name, int score) {}

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[-_.: ]", "");
    }

    private static int score(String wanted, String name) {
        if (wanted.equals(name)) {
            return 0;
        }
        if (wanted.isEmpty()) {
            return Integer.MAX_VALUE;
        }
        int edits = edits(wanted, name);
        if (edits <= Math.max(1, wanted.length() / 3)) {
            return edits;
        }
        // Two characters are the least that say something.
        if (wanted.length() >= 2 && name.startsWith(wanted)) {
            return 100 + name.length() - wanted.length();
        }
        return wanted.length() >= 3 && name.contains(wanted)
                ? 200 + name.length() - wanted.length()
                : Integer.MAX_VALUE;
    }

    /** Insertions, deletions, substitutions and swaps of neighbours from one text to the other. */
    private static int edits(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                d[i][j] = i == 0 || j == 0 ? i + j : cheapest(d, a, b, i, j);
            }
        }
        return d[a.length()][b.length()];
    }

    private static int cheapest(int[][] d, String a, String b, int i, int j) {
        boolean equal = a.charAt(i - 1) == b.charAt(j - 1);
        int best = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (equal ? 0 : 1));
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, d[i - 2][j - 2] + 1) : best;
    }
}
