package dev.vt.log.internal;

import java.util.Collections;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.log.LogEntry;
import org.osgi.service.log.LogLevel;
import org.osgi.service.log.LogListener;
import org.osgi.service.log.LogReaderService;

/**
 * Hands every entry of the OSGi log service to a {@link System.Logger} of the same name, so that component runtime,
 * configuration service and our own bundles end in one file. Owned by the component runtime; the log service calls it on a
 * thread of its own. It never writes to the OSGi log, which would come back to it.
 */
@Component(
        service = {},
        immediate = true)
public final class LogForwarder implements LogListener {
    /** The log service mirrors framework events under these names; the launcher has said the ones that matter. */
    private static final String MIRRORED = "Events.";

    private final LogReaderService reader;

    @Activate
    public LogForwarder(@Reference LogReaderService reader) {
        this.reader = reader;
        List<LogEntry> before = Collections.list(reader.getLog());
        Collections.reverse(before);
        before.forEach(this::logged);
        reader.addLogListener(this);
    }

    @Deactivate
    void stop() {
        reader.removeLogListener(this);
    }

    @Override
    public void logged(LogEntry entry) {
        String name = entry.getLoggerName();
        if (name != null && name.startsWith(MIRRORED)) {
            return;
        }
        String bundle = entry.getBundle() == null ? "osgi" : entry.getBundle().getSymbolicName();
        System.Logger log = System.getLogger(bundle);
        System.Logger.Level level = level(entry.getLogLevel());
        if (entry.getException() == null) {
            log.log(level, entry.getMessage());
        } else {
            log.log(level, entry.getMessage(), entry.getException());
        }
    }

    static System.Logger.Level level(LogLevel level) {
        return switch (level) {
            case ERROR -> System.Logger.Level.ERROR;
            case WARN -> System.Logger.Level.WARNING;
            case INFO, AUDIT -> System.Logger.Level.INFO;
            case DEBUG -> System.Logger.Level.DEBUG;
            case TRACE -> System.Logger.Level.TRACE;
        };
    }
}
