package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementsTest {
    @Test
    @DisplayName("S8 -c: semicolons and line ends separate; empty statements are nothing")
    void separators() {
        assertEquals(List.of("a", "b c", "d"), Statements.of("a; b c;;\n\n d ;"));
        assertEquals(List.of(), Statements.of(" \n ; "));
        assertEquals(List.of(), Statements.of(""));
    }

    @Test
    @DisplayName("S8 -c: a semicolon in quotes, braces or brackets does not separate")
    void nested() {
        assertEquals(
                List.of("a 'x; y'", "b \"p; q\"", "c { d; e }", "f (g; h)"),
                Statements.of("a 'x; y'; b \"p; q\"; c { d; e }; f (g; h)"));
    }

    @Test
    @DisplayName("S8 -c: pipes and conditions stay in one statement")
    void operators() {
        assertEquals(List.of("a | b && c || d", "e"), Statements.of("a | b && c || d; e"));
    }

    @Test
    @DisplayName("S8 --script: one command a line, # begins a comment, also at the end of a line and of the text")
    void comments() {
        assertEquals(
                List.of("a", "b 'no # comment'"), Statements.of("# first\na # tail\n\n  b 'no # comment'\n# last"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a 'open", "a { b", "a }", "a \"b"})
    @DisplayName("S8 -c: text that can't be parsed is one sentence, and nothing runs")
    void broken(String text) {
        VtException e = assertThrows(VtException.class, () -> Statements.of(text));
        assertTrue(e.getMessage().lines().count() == 1 && !e.getMessage().isBlank(), e.getMessage());
    }
}
