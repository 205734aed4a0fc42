package dev.vt.shell.internal;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A list of results with the columns that show it. Immutable once it is handed out. */
final class Rows<T> extends AbstractList<T> implements View {
    private final List<T> rows;
    private final List<String> names = new ArrayList<>();
    private final List<Function<? super T, ? extends @Nullable Object>> values = new ArrayList<>();
    private String empty = "nothing to show";
    private @Nullable String footer;

    private Rows(List<T> rows) {
        this.rows = List.copyOf(rows);
    }

    static <T> Rows<T> of(List<T> rows) {
        return new Rows<>(rows);
    }

    Rows<T> column(String name, Function<? super T, ? extends @Nullable Object> value) {
        names.add(name);
        values.add(value);
        return this;
    }

    /** What people read when there is no row. */
    Rows<T> ifEmpty(String sentence) {
        empty = sentence;
        return this;
    }

    /** A last line for people. */
    Rows<T> footer(String sentence) {
        footer = sentence;
        return this;
    }

    @Override
    public T get(int index) {
        return rows.get(index);
    }

    @Override
    public int size() {
        return rows.size();
    }

    @Override
    public void show(Page page) {
        if (rows.isEmpty()) {
            page.line(empty);
        } else {
            page.table(names, rows.stream().map(this::cells).toList());
        }
        if (footer != null) {
            page.line(footer);
        }
    }

    private List<?> cells(T row) {
        List<@Nullable Object> cells = new ArrayList<>();
        values.forEach(v -> cells.add(v.apply(row)));
        return cells;
    }

    @Override
    public Object json() {
        return rows;
    }
}
