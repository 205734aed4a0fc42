package dev.vt.shell.internal;

import dev.vt.model.GenerateListener;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * Prints a text as it comes: the prompt, then each piece. Several texts at once can't be told apart that way, so they
 * are printed at the end. Prints nothing in the other formats. Used by the thread that generates.
 */
final class TextPrinter implements GenerateListener {
    private final Terminal terminal;
    private final List<String> prompts;
    private final boolean people;
    private final boolean streams;
    private boolean started;

    TextPrinter(Terminal terminal, List<String> prompts) {
        this.terminal = terminal;
        this.prompts = prompts;
        people = terminal.format() == Format.TABLE;
        streams = people && prompts.size() == 1;
    }

    /** Called when the model is open. */
    void start() {
        if (streams) {
            terminal.out().print(prompts.getFirst());
            terminal.out().flush();
            started = true;
        }
    }

    /** Progress is for a person who waits; short prompts need none. */
    @Override
    public void prompt(int done, int total) {
        checkInterrupt();
        if (people && terminal.interactive() && !streams && total > 1) {
            terminal.err().print("\rprompt: " + done + " of " + total + " tokens" + (done == total ? "\n" : ""));
            terminal.err().flush();
        } else if (streams && terminal.interactive() && done < total) {
            terminal.err().print("\n[prompt: " + done + " of " + total + " tokens]");
            terminal.err().flush();
        }
    }

    @Override
    public void token(int sequence, int id, String text) {
        checkInterrupt();
        if (streams) {
            terminal.out().print(text);
            terminal.out().flush();
        }
    }

    /** Ctrl-C interrupts the thread of a command. */
    private static void checkInterrupt() {
        if (Thread.interrupted()) {
            throw new CancellationException("vt:generate: stopped");
        }
    }

    /** Ends the line, whatever happened. */
    void end() {
        if (started) {
            terminal.out().println();
            started = false;
        }
    }

    /** Prints the texts of a batch. */
    void texts(List<GenerateCommands.Generated> all) {
        if (people && !streams) {
            for (int i = 0; i < all.size(); i++) {
                terminal.out()
                        .println("[" + (i + 1) + "] " + all.get(i).prompt()
                                + all.get(i).text());
            }
        }
    }
}
