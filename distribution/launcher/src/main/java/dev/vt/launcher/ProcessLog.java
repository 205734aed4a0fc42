package dev.vt.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The process's one log. {@link System.Logger} ends in java.util.logging by the JDK's own rule, and the OSGi log is forwarded to
 * it; here it gets a bounded file and a quiet console: warnings and errors, one line each, on the error stream. The launcher
 * owns it and closes it last. Levels come from {@code conf/logging.properties}.
 */
final class ProcessLog implements AutoCloseable {
    private static final long LIMIT_BYTES = 4L << 20;
    private static final int KEPT_FILES = 3;

    private final @Nullable RollingFile file;

    private ProcessLog(@Nullable RollingFile file) {
        this.file = file;
    }

    static ProcessLog open(Path home) throws IOException {
        Path levels = home.resolve("conf").resolve("logging.properties");
        if (Files.exists(levels)) {
            try (InputStream in = Files.newInputStream(levels)) {
                LogManager.getLogManager().readConfiguration(in);
            }
        }
        Logger root = Logger.getLogger("");
        for (Handler given : root.getHandlers()) {
            root.removeHandler(given);
        }
        root.addHandler(new ConsoleLines());
        RollingFile file = null;
        Path folder = home.resolve("log");
        if (Folders.writable(folder)) {
            file = new RollingFile(folder.resolve("vt.log"), LIMIT_BYTES, KEPT_FILES);
            root.addHandler(new FileLines(file));
        } else {
            root.log(Level.WARNING, "the folder {0} can''t be written, so there is no log file", folder);
        }
        ExitLogManager.keepHandlers();
        return new ProcessLog(file);
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** Appends whole records; a full disk is said once, by the error manager. */
    private static final class FileLines extends Handler {
        private final RollingFile to;

        FileLines(RollingFile to) {
            this.to = to;
            setFormatter(new LineFormat(false));
            setLevel(Level.ALL);
        }

        @Override
        public void publish(LogRecord record) {
            try {
                to.append(getFormatter().format(record));
            } catch (IOException e) {
                reportError("log file", e, ErrorManager.WRITE_FAILURE);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** Not a ConsoleHandler: that one keeps the stream of its start, and a test or shell may redirect it. */
    private static final class ConsoleLines extends Handler {
        ConsoleLines() {
            setFormatter(new LineFormat(true));
            setLevel(Level.WARNING);
        }

        @Override
        public void publish(LogRecord record) {
            if (isLoggable(record)) {
                System.err.print(getFormatter().format(record));
            }
        }

        @Override
        public void flush() {
            System.err.flush();
        }

        @Override
        public void close() {}
    }
}
