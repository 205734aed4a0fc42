package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.ops.NearNames;
import java.io.PrintStream;
import java.util.Collection;
import java.util.List;
import org.apache.felix.gogo.runtime.CommandNotFoundException;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Converter;
import org.jspecify.annotations.Nullable;

/** Runs statements one after the other, prints their results, and stops at the first that fails. One thread. */
final class Execution {
    private static final System.Logger LOG = System.getLogger("dev.vt.shell");

    /** The session variable in which Gogo keeps the names of all commands. */
    private static final String COMMANDS = ".commands";

    private final CommandSession session;
    private final PrintStream out;
    private final PrintStream err;

    Execution(CommandSession session, PrintStream out, PrintStream err) {
        this.session = session;
        this.out = out;
        this.err = err;
    }

    /** Runs a text of statements; gives the exit code. */
    int run(String text) {
        try {
            for (String statement : Statements.of(text)) {
                Object result = session.execute(statement);
                if (result != null) {
                    out.println(session.format(result, Converter.INSPECT));
                }
                out.flush();
            }
            return 0;
        } catch (InterruptedException e) {
            // Only the end of the process interrupts: no fault to look into.
            out.flush();
            err.println("Error: stopped before the commands were done");
            return 1;
        } catch (Exception e) {
            out.flush();
            err.println("Error: " + sentence(e));
            return 1;
        }
    }

    private String sentence(Exception e) {
        if (e instanceof CommandNotFoundException unknown) {
            return "no command is named '" + unknown.getCommand() + "'"
                    + NearNames.hint(unknown.getCommand(), commands());
        }
        if (e instanceof VtException) {
            return String.valueOf(e.getMessage());
        }
        LOG.log(System.Logger.Level.WARNING, "a command failed", e);
        return message(e);
    }

    /** Other exceptions say little without their kind. */
    private static String message(Exception e) {
        String text = e.getMessage();
        return e.getClass().getSimpleName()
                + (text == null
                        ? "; see the log"
                        : ": " + text.lines().findFirst().orElse(""));
    }

    private List<String> commands() {
        @Nullable Object names = session.get(COMMANDS);
        return names instanceof Collection<?> all
                ? all.stream().map(String::valueOf).sorted().toList()
                : List.of();
    }
}
