package dev.vt.launcher;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/** The two forms of a record: with time, process, level, logger and stack trace for the file; one short line for the console. */
final class LineFormat extends Formatter {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    private final boolean brief;
    private final long process = ProcessHandle.current().pid();

    LineFormat(boolean brief) {
        this.brief = brief;
    }

    @Override
    public String format(LogRecord record) {
        String message = formatMessage(record);
        Throwable failure = record.getThrown();
        if (brief) {
            String reason = failure == null ? "" : ": " + OneLine.reason(failure);
            return "vt: " + word(record.getLevel()) + ": " + OneLine.flat(message + reason) + System.lineSeparator();
        }
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        out.println(TIME.format(record.getInstant()) + " " + process + " " + word(record.getLevel()) + " "
                + record.getLoggerName() + " - " + message);
        if (failure != null) {
            failure.printStackTrace(out);
        }
        out.flush();
        return text.toString();
    }

    /** The words of {@link System.Logger.Level}, which our bundles use. */
    private static String word(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) {
            return "error";
        }
        if (value >= Level.WARNING.intValue()) {
            return "warning";
        }
        return value >= Level.CONFIG.intValue() ? "info" : value >= Level.FINE.intValue() ? "debug" : "trace";
    }
}
