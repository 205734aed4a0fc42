package dev.vt.itests.quality;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints line and branch coverage of each module from JaCoCo's table, and ends with 1 when a module that must be covered is
 * missing, empty or below the minimum: {@code Coverage CSV MINIMUM-PERCENT MODULE...}. Run by the build, one thread.
 */
final class Coverage {
    // Columns of the table: GROUP,PACKAGE,CLASS, then missed and covered instructions, branches, lines.
    private static final int BRANCHES = 5;
    private static final int LINES = 7;

    private final Map<String, Counts> modules = new TreeMap<>();

    private record Counts(long missedBranches, long branches, long missedLines, long lines) {
        static final Counts NONE = new Counts(0, 0, 0, 0);

        Counts plus(Counts more) {
            return new Counts(
                    missedBranches + more.missedBranches,
                    branches + more.branches,
                    missedLines + more.missedLines,
                    lines + more.lines);
        }

        double linePercent() {
            return percent(lines - missedLines, lines);
        }

        double branchPercent() {
            return percent(branches - missedBranches, branches);
        }

        private static double percent(long covered, long all) {
            return all == 0 ? 0 : 100.0 * covered / all;
        }
    }

    private Coverage(List<String> rows) {
        for (String row : rows) {
            String[] cells = row.split(",", -1);
            String module = cells[0].substring(cells[0].lastIndexOf('/') + 1);
            long branches = Long.parseLong(cells[BRANCHES]);
            long lines = Long.parseLong(cells[LINES]);
            Counts counts = new Counts(
                    branches,
                    branches + Long.parseLong(cells[BRANCHES + 1]),
                    lines,
                    lines + Long.parseLong(cells[LINES + 1]));
            modules.merge(module, counts, Counts::plus);
        }
    }

    public static void main(String[] args) throws IOException {
        List<String> table = Files.readAllLines(Path.of(args[0]));
        Coverage coverage = new Coverage(table.subList(1, table.size()));
        List<String> faults =
                coverage.faults(Double.parseDouble(args[1]), List.of(args).subList(2, args.length));
        coverage.print();
        faults.forEach(System.out::println);
        if (!faults.isEmpty()) {
            System.exit(1);
        }
    }

    private List<String> faults(double minimum, List<String> required) {
        List<String> faults = new ArrayList<>();
        for (String module : required) {
            Counts counts = modules.getOrDefault(module, Counts.NONE);
            if (counts.lines() == 0) {
                faults.add("coverage: the table has no line of " + module);
            } else if (counts.linePercent() < minimum) {
                faults.add(format(
                        "coverage: %.1f %% of %s's lines are reached, %.0f are wanted",
                        counts.linePercent(), module, minimum));
            }
        }
        return faults;
    }

    private void print() {
        System.out.println(format("%-20s %7s %7s %9s", "coverage", "lines", "line %", "branch %"));
        modules.forEach((module, counts) -> System.out.println(
                format("%-20s %7d %7.1f %9.1f", module, counts.lines(), counts.linePercent(), counts.branchPercent())));
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
