package dev.vt.shell.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lines and tables in the order in which they are shown. Made for one result, used by one thread. */
final class Page {
    private static final String GAP = "  ";

    private sealed interface Part {}

    private record Line(String text) implements Part {}

    private record Table(List<String> header, List<List<String>> rows, boolean[] numeric) implements Part {}

    private final List<Part> parts = new ArrayList<>();

    static Page of(View view) {
        Page page = new Page();
        view.show(page);
        return page;
    }

    /** A line for people; scripts don't get it. */
    void line(String text) {
        parts.add(new Line(text));
    }

    /** Rows under a header; a column whose values are all numbers is set to the right. */
    void table(List<String> header, List<? extends List<?>> rows) {
        boolean[] numeric = new boolean[header.size()];
        for (int c = 0; c < numeric.length; c++) {
            int column = c;
            numeric[c] = !rows.isEmpty() && rows.stream().allMatch(r -> r.get(column) instanceof Number);
        }
        parts.add(new Table(
                header,
                rows.stream().map(r -> r.stream().map(Page::text).toList()).toList(),
                numeric));
    }

    /** Names with their values, one a line. */
    void facts(Map<String, ?> facts) {
        List<List<String>> rows = facts.entrySet().stream()
                .map(e -> List.of(e.getKey(), text(e.getValue())))
                .toList();
        parts.add(new Table(List.of(), rows, new boolean[2]));
    }

    /** One value on a line of its own, for people and scripts. */
    void value(String value) {
        parts.add(new Table(List.of(), List.of(List.of(value)), new boolean[1]));
    }

    /** The form of a value in a cell. */
    static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "-";
            case Boolean b -> b ? "yes" : "no";
            case Double d -> number(d);
            case List<?> list ->
                list.isEmpty() ? "-" : list.stream().map(Page::text).collect(Collectors.joining(","));
            case Map<?, ?> map ->
                map.isEmpty()
                        ? "-"
                        : map.entrySet().stream()
                                .map(e -> e.getKey() + ": " + text(e.getValue()))
                                .collect(Collectors.joining("; "));
            case Object o -> o.toString().isEmpty() ? "-" : o.toString();
        };
    }

    /** Four digits say enough to a person. */
    private static String number(double d) {
        if (d == 0 || !Double.isFinite(d)) {
            return d == 0 ? "0" : Double.toString(d);
        }
        double size = Math.abs(d);
        if (size < 0.01 || size >= 1e7) {
            return String.format(Locale.ROOT, "%.3g", d);
        }
        return String.format(Locale.ROOT, size >= 100 ? "%.1f" : size >= 1 ? "%.2f" : "%.4f", d);
    }

    /** For people. */
    String table() {
        List<String> lines = new ArrayList<>();
        for (Part part : parts) {
            switch (part) {
                case Line line -> lines.add(line.text());
                case Table table -> aligned(table, lines);
            }
        }
        return String.join("\n", lines);
    }

    /** For scripts: the rows alone, values separated by tabs. */
    String plain() {
        List<String> lines = new ArrayList<>();
        for (Part part : parts) {
            if (part instanceof Table table) {
                table.rows()
                        .forEach(
                                row -> lines.add(row.stream().map(Page::escaped).collect(Collectors.joining("\t"))));
            }
        }
        return String.join("\n", lines);
    }

    /** A value stays in its line and column. */
    private static String escaped(String value) {
        return value.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
    }

    private static void aligned(Table table, List<String> lines) {
        List<List<String>> all = new ArrayList<>();
        if (!table.header().isEmpty()) {
            all.add(table.header().stream().map(h -> h.toUpperCase(Locale.ROOT)).toList());
        }
        table.rows()
                .forEach(row ->
                        all.add(row.stream().map(v -> v.replace('\n', ' ')).toList()));
        int[] widths = new int[table.numeric().length];
        for (List<String> row : all) {
            for (int c = 0; c < widths.length; c++) {
                widths[c] = Math.max(widths[c], row.get(c).length());
            }
        }
        all.forEach(row -> lines.add(aligned(row, widths, table.numeric())));
    }

    private static String aligned(List<String> row, int[] widths, boolean[] numeric) {
        StringBuilder out = new StringBuilder();
        for (int c = 0; c < widths.length; c++) {
            String padding = " ".repeat(widths[c] - row.get(c).length());
            out.append(c == 0 ? "" : GAP).append(numeric[c] ? padding + row.get(c) : row.get(c) + padding);
        }
        return out.toString().stripTrailing();
    }
}
