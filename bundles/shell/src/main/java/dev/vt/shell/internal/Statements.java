package dev.vt.shell.internal;

import dev.vt.api.VtException;
import java.util.ArrayList;
import java.util.List;
import org.apache.felix.gogo.runtime.EOFError;
import org.apache.felix.gogo.runtime.Parser;
import org.apache.felix.gogo.runtime.SyntaxError;
import org.apache.felix.gogo.runtime.Token;

/**
 * Splits a text into statements at semicolons and line ends, with Gogo's own parser, so that quotes, braces and
 * comments are respected. Gogo itself gives only the last result of {@code a; b}. Pure functions, any thread.
 */
final class Statements {
    private Statements() {}

    /**
     * The statements in their order.
     *
     * @throws VtException when the text can't be parsed; nothing has run then
     */
    static List<String> of(String text) {
        // Gogo takes a comment only up to a line end.
        String whole = text.endsWith("\n") ? text : text + "\n";
        List<String> out = new ArrayList<>();
        int from = -1;
        int to = -1;
        for (Token token : parse(whole)) {
            if (Token.eq(";", token) || Token.eq("\n", token)) {
                add(out, whole, from, to);
                from = -1;
            } else {
                from = from < 0 ? token.start() : from;
                to = token.start() + token.length();
            }
        }
        add(out, whole, from, to);
        return out;
    }

    private static List<Parser.Executable> parse(String text) {
        try {
            return new Parser(text).program().tokens();
        } catch (EOFError e) {
            throw VtException.invalidArgument("the text ends too early: " + e.getMessage());
        } catch (SyntaxError e) {
            throw VtException.invalidArgument("line " + e.line() + ", column " + e.column() + ": " + e.getMessage());
        }
    }

    private static void add(List<String> out, String text, int from, int to) {
        if (from >= 0 && !text.substring(from, to).isBlank()) {
            out.add(text.substring(from, to).strip());
        }
    }
}
