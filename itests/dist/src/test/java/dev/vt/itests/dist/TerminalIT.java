package dev.vt.itests.dist;

import static dev.vt.itests.dist.Terminal.CTRL_C;
import static dev.vt.itests.dist.Terminal.CTRL_D;
import static dev.vt.itests.dist.Terminal.ENTER;
import static dev.vt.itests.dist.Terminal.TAB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shell as a person at a terminal has it. */
class TerminalIT {
    private static final String PROMPT = "vt> ";

    @TempDir
    Path folder;

    @Test
    @DisplayName("a person gets a prompt, completion of commands, ops, devices and providers, help; Ctrl-C stays, "
            + "Ctrl-D leaves")
    void atTheTerminal() throws Exception {
        Installation vt = Installation.unpack(folder);
        try (Terminal terminal = Terminal.open(vt)) {
            assertFalse(terminal.await(PROMPT).contains("rror"), terminal::all);

            complete(terminal, "vt:pro", "vt:providers");
            terminal.type(ENTER);
            terminal.await("DEVICE");
            terminal.await("vector");
            terminal.await(PROMPT);

            complete(terminal, "vt:why matmul_bt_", "quant");
            complete(terminal, "c", "pu:0");
            terminal.type(ENTER);
            // A person may be here before vector's admission is over.
            terminal.await("is asked first");
            terminal.await(PROMPT);

            complete(terminal, "vt:disable vec", "tor");
            terminal.type(ENTER);
            terminal.await("vector is disabled");
            terminal.await(PROMPT);

            terminal.type("help vt:why" + ENTER);
            String help = terminal.await("example: vt:why matmul_bt cpu");
            assertTrue(help.contains("usage: vt:why op device"), help);
            terminal.await(PROMPT);

            terminal.type("vt:why half a command");
            terminal.await("command");
            terminal.type(CTRL_C);
            terminal.await(PROMPT);
            assertTrue(terminal.alive());
            terminal.type("vt:report --digest" + ENTER);
            String digest = terminal.await(PROMPT);
            assertTrue(digest.lines().anyMatch(line -> line.strip().matches("[0-9a-f]{64}")), digest);

            terminal.type("vt:why matmull cpu" + ENTER);
            terminal.await("no op is named 'matmull'");
            terminal.await("matmul");
            String rest = terminal.await(PROMPT);
            assertFalse(rest.contains("Exception"), rest);

            terminal.type("vt:generate --ignore-end --tokens 500 'Once upon a time'" + ENTER);
            terminal.await("Once upon a time there");
            terminal.type(CTRL_C);
            terminal.await(PROMPT);
            assertFalse(terminal.all().contains("generated 500"), terminal::all);

            terminal.type(CTRL_D);
            assertEquals(0, terminal.end(), terminal::all);
        }
        vt.assertNoErrorInLog();
    }

    /** Types, presses the tabulator key, and waits until the rest of the word is there. */
    private static void complete(Terminal terminal, String typed, String rest) throws Exception {
        terminal.type(typed + TAB);
        terminal.await(rest);
    }
}
