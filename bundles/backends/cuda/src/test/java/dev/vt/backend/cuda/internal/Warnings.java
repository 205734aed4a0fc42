package dev.vt.backend.cuda.internal;

import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The warnings that the backend writes to the log while this is open. Any thread may write them. */
final class Warnings extends Handler implements AutoCloseable {
    /** Held here, since the logging system itself holds loggers weakly. */
    private final Logger logger = Logger.getLogger("dev.vt.backend.cuda");

    private final List<String> lines = new CopyOnWriteArrayList<>();

    Warnings() {
        logger.addHandler(this);
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord line) {
        if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
            lines.add(MessageFormat.format(line.getMessage(), line.getParameters()));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
