package dev.vt.shell.internal;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON: null, booleans, numbers, texts, lists, maps and records, of which the components' names are the keys.
 * Anything else is written as its text. Numbers that JSON lacks (NaN, the infinities) are null. Pure functions, any
 * thread.
 */
final class Json {
    private final StringBuilder out = new StringBuilder();

    private Json() {}

    static String write(@Nullable Object value) {
        Json json = new Json();
        json.value(value);
        return json.out.toString();
    }

    private void value(@Nullable Object value) {
        switch (value) {
            case null -> out.append("null");
            case Boolean b -> out.append(b.booleanValue());
            case Double d -> out.append(Double.isFinite(d) ? d.toString() : "null");
            case Float f -> out.append(Float.isFinite(f) ? f.toString() : "null");
            case Number n -> out.append(n);
            case Collection<?> list -> list(list);
            case Map<?, ?> map -> map(map);
            case Record record -> record(record);
            default -> text(value.toString());
        }
    }

    private void list(Collection<?> list) {
        String before = "[";
        for (Object item : list) {
            out.append(before);
            value(item);
            before = ",";
        }
        out.append(list.isEmpty() ? "[]" : "]");
    }

    private void map(Map<?, ?> map) {
        String before = "{";
        for (Map.Entry<?, ?> e : map.entrySet()) {
            out.append(before);
            text(String.valueOf(e.getKey()));
            out.append(':');
            value(e.getValue());
            before = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private void record(Record record) {
        String before = "{";
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            out.append(before);
            text(component.getName());
            out.append(':');
            value(read(record, component));
            before = ",";
        }
        out.append(before.equals("{") ? "{}" : "}");
    }

    private static @Nullable Object read(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("records of the shell are readable here", e);
        }
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            character(text, i);
        }
        out.append('"');
    }

    private void character(String text, int i) {
        char c = text.charAt(i);
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                // Half of a pair has no form in UTF-8; the line separators break readers that take JSON for JavaScript.
                if (c < 0x20 || c == 0x7f || c == 0x2028 || c == 0x2029 || lone(text, i)) {
                    out.append(String.format("\\u%04x", (int) c));
                } else {
                    out.append(c);
                }
            }
        }
    }

    private static boolean lone(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }
}
