package dev.vt.launcher;

import org.apache.felix.framework.Logger;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.ServiceReference;

/** The framework's own messages, which otherwise go to standard output, where they would spoil what commands print. */
final class FrameworkLog extends Logger {
    private static final System.Logger LOG = System.getLogger("org.apache.felix.framework");

    @Override
    @SuppressWarnings("rawtypes") // as the overridden method has it
    protected void doLog(
            @Nullable Bundle bundle,
            @Nullable ServiceReference reference,
            int level,
            String message,
            @Nullable Throwable failure) {
        System.Logger.Level to = switch (level) {
            case LOG_ERROR -> System.Logger.Level.ERROR;
            case LOG_WARNING -> System.Logger.Level.WARNING;
            case LOG_INFO -> System.Logger.Level.INFO;
            default -> System.Logger.Level.DEBUG;
        };
        LOG.log(to, bundle == null ? message : bundle + ": " + message, failure);
    }
}
