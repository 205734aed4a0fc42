package dev.vt.shell.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON strictly, without the writer's help: objects become maps, arrays lists, numbers doubles. */
final class JsonReader {
    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    static @Nullable Object read(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value();
        if (reader.at != text.length()) {
            throw new IllegalArgumentException("text behind the value: " + text.substring(reader.at));
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String text) {
        return (Map<String, Object>) read(text);
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> objects(String text) {
        return (List<Map<String, Object>>) read(text);
    }

    private @Nullable Object value() {
        return switch (text.charAt(at)) {
            case '{' -> map();
            case '[' -> list();
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> map() {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        at++;
        while (text.charAt(at) != '}') {
            if (!out.isEmpty()) {
                expect(',');
            }
            String key = string();
            expect(':');
            if (out.containsKey(key)) {
                throw new IllegalArgumentException("twice: " + key);
            }
            out.put(key, value());
        }
        at++;
        return out;
    }

    private List<@Nullable Object> list() {
        List<@Nullable Object> out = new ArrayList<>();
        at++;
        while (text.charAt(at) != ']') {
            if (!out.isEmpty()) {
                expect(',');
            }
            out.add(value());
        }
        at++;
        return out;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        expect('"');
        for (; text.charAt(at) != '"'; at++) {
            char c = text.charAt(at);
            if (c < ' ') {
                throw new IllegalArgumentException("a control character in a text");
            }
            out.append(c == '\\' ? escape() : c);
        }
        at++;
        return out.toString();
    }

    private char escape() {
        char c = text.charAt(++at);
        if (c == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
        }
        int which = "\"\\/bfnrt".indexOf(c);
        if (which < 0) {
            throw new IllegalArgumentException("unknown escape " + c);
        }
        return "\"\\/\b\f\n\r\t".charAt(which);
    }

    private @Nullable Object word(String word, @Nullable Object value) {
        if (!text.startsWith(word, at)) {
            throw new IllegalArgumentException("unknown word at " + at);
        }
        at += word.length();
        return value;
    }

    private Double number() {
        int from = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return Double.valueOf(text.substring(from, at));
    }

    private void expect(char c) {
        if (text.charAt(at) != c) {
            throw new IllegalArgumentException("expected " + c + " at " + at + ", found " + text.charAt(at));
        }
        at++;
    }
}
