package dev.vt.shell.internal;

import dev.vt.api.op.Op;
import dev.vt.conformance.Conformance;
import java.util.Locale;

/** A bar that tells a person how far a run has come; silent where nobody watches. One thread. */
final class Progress implements Conformance.Listener {
    private static final int WIDTH = 24;

    private final Terminal terminal;
    private String title = "";
    private int done;
    private int total = 1;
    private int shown = -1;

    Progress(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Starts anew for one provider. */
    void start(String what, int cases) {
        title = what;
        done = 0;
        total = Math.max(1, cases);
        shown = -1;
    }

    @Override
    public void done(Op<?> op, int cases, int of) {
        done++;
        int percent = (int) (100L * done / total);
        if (terminal.interactive() && percent != shown) {
            shown = percent;
            int filled = WIDTH * percent / 100;
            terminal.err()
                    .print(String.format(
                            Locale.ROOT,
                            "\r%s [%s%s] %3d%% %-32s",
                            title,
                            "#".repeat(filled),
                            ".".repeat(WIDTH - filled),
                            percent,
                            op));
            terminal.err().flush();
        }
    }

    /** Takes the bar away. */
    void end() {
        if (shown >= 0) {
            terminal.err().print("\r" + " ".repeat(title.length() + WIDTH + 42) + "\r");
            terminal.err().flush();
        }
    }
}
