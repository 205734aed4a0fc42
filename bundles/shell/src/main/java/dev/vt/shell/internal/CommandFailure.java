package dev.vt.shell.internal;

import dev.vt.api.VtException;
import java.io.Serial;

/**
 * What a command failed with, in the form that the interactive shell prints: it shows the text of the exception itself.
 */
final class CommandFailure extends VtException {
    @Serial
    private static final long serialVersionUID = 1L;

    CommandFailure(VtException cause) {
        super(cause.code(), String.valueOf(cause.getMessage()), cause);
    }

    @Override
    public String toString() {
        return "Error: " + getMessage();
    }
}
