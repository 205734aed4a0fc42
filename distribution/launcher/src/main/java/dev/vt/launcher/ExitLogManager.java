package dev.vt.launcher;

import java.util.logging.LogManager;

/**
 * Keeps the log working while the process ends. The JDK's own manager drops all handlers in a shutdown hook that runs beside
 * ours, so what bundles say while they stop would be lost. Named by {@code java.util.logging.manager}.
 */
public final class ExitLogManager extends LogManager {
    private volatile boolean kept;

    /** From now on a reset does nothing; without effect where another manager is in use. */
    static void keepHandlers() {
        if (LogManager.getLogManager() instanceof ExitLogManager own) {
            own.kept = true;
        }
    }

    @Override
    public void reset() {
        if (!kept) {
            super.reset();
        }
    }
}
