package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PageTest {
    private record Row(String name, long count, List<String> items) {}

    private static Rows<Row> rows(Row... rows) {
        return Rows.of(List.of(rows))
                .column("name", Row::name)
                .column("count", Row::count)
                .column("items", Row::items)
                .ifEmpty("none here")
                .footer("the end");
    }

    @Test
    @DisplayName("S8 a table has aligned columns, numbers to the right, no blanks at line ends")
    void aligned() {
        assertEquals(
                """
                NAME    COUNT  ITEMS
                a           7  x,y
                longer   1234  -
                the end\
                """,
                Page.of(rows(new Row("a", 7, List.of("x", "y")), new Row("longer", 1234, List.of())))
                        .table());
    }

    @Test
    @DisplayName("S8 --no-format gives the values alone, separated by tabs; a tab or line end in a value is escaped")
    void plain() {
        assertEquals(
                "a\\tb\\nc\\\\\t7\tx,y",
                Page.of(rows(new Row("a\tb\nc\\", 7, List.of("x", "y")))).plain());
    }

    @Test
    @DisplayName("S8 an empty list says so to people and nothing to scripts")
    void empty() {
        assertEquals("none here\nthe end", Page.of(rows()).table());
        assertEquals("", Page.of(rows()).plain());
        assertEquals("[]", Format.JSON.apply(rows()));
    }

    @Test
    @DisplayName("S8 values: booleans as words, few digits, empty as a hyphen")
    void values() {
        assertEquals("yes", Page.text(true));
        assertEquals("-", Page.text(null));
        assertEquals("-", Page.text(""));
        assertEquals("12.35", Page.text(12.345678));
        assertEquals("0.2500", Page.text(0.25));
        assertEquals("3.00e-07", Page.text(3e-7));
        assertEquals("Infinity", Page.text(Double.POSITIVE_INFINITY));
        Map<String, Long> map = new LinkedHashMap<>();
        map.put("b", 2L);
        map.put("a", 1L);
        assertEquals("b: 2; a: 1", Page.text(map));
    }
}
