package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JsonTest {
    private record Inner(boolean yes, @Nullable String none) {}

    private record Outer(String text, int number, List<Inner> list, Map<String, Long> map) {}

    @Test
    @DisplayName("S8 JSON: the names of a record's components are the keys, in their order")
    void records() {
        Outer outer = new Outer("a", 3, List.of(new Inner(true, null)), Map.of("k", 5L));
        assertEquals(
                "{\"text\":\"a\",\"number\":3,\"list\":[{\"yes\":true,\"none\":null}],\"map\":{\"k\":5}}",
                Json.write(outer));
    }

    @Test
    @DisplayName("S8 JSON: every character comes back as it was")
    void escapes() {
        StringBuilder all = new StringBuilder("\"\\/\u2028\u2029\u007f\ud83d\ude00 \u00e9");
        for (char c = 0; c < 0x20; c++) {
            all.append(c);
        }
        assertEquals(all.toString(), JsonReader.read(Json.write(all.toString())));
    }

    @Test
    @DisplayName("S8 JSON: half of a surrogate pair is escaped, since UTF-8 has no form for it")
    void loneSurrogates() {
        assertEquals("\"\\ud83dx\\ude00\"", Json.write("\ud83dx\ude00"));
    }

    @Test
    @DisplayName("S8 JSON: numbers that JSON lacks are null")
    void numbers() {
        assertEquals(
                "[null,null,null,1.5,-2,1.0E-5]",
                Json.write(
                        Arrays.asList(Double.NaN, Double.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, 1.5, -2L, 1e-5)));
    }

    @Test
    @DisplayName("S8 JSON: empty lists, maps and records")
    void empty() {
        record Nothing() {}
        assertEquals("[[],{},{}]", Json.write(List.of(List.of(), Map.of(), new Nothing())));
    }
}
