package dev.vt.shell.internal;

import dev.vt.api.VtException;

/**
 * A component with commands: a subclass has methods with {@link Command}. Gogo calls {@link #_main} for each of them,
 * since no public method bears a command's name. Any thread, and several at a time, may run commands.
 */
abstract class CommandGroup {
    /** The scope of all commands here. */
    static final String SCOPE = "vt";

    /**
     * Runs a command.
     *
     * @param line the command's name, then what was typed behind it
     */
    public final Object _main(String[] line) {
        try {
            return CommandLine.of(this, line).run();
        } catch (VtException e) {
            throw new CommandFailure(e);
        }
    }
}
