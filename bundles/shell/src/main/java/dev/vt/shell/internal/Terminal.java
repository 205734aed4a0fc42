package dev.vt.shell.internal;

import java.io.Console;
import java.io.PrintStream;

/**
 * Where a command that prints while it works prints to.
 *
 * @param out standard output of the command, which may be a pipe
 * @param err standard error of the command
 * @param format how its result is wanted
 * @param interactive whether a person watches
 */
record Terminal(PrintStream out, PrintStream err, Format format, boolean interactive) {
    /** The streams that Gogo has set for the thread of a command. */
    static Terminal current(Format format) {
        Console console = System.console();
        return new Terminal(System.out, System.err, format, console != null && console.isTerminal());
    }

    /** Prints a result before an error that it is about. */
    void print(View view) {
        Object text = format == Format.TABLE ? Page.of(view).table() : format.apply(view);
        out.println(text);
        out.flush();
    }
}
