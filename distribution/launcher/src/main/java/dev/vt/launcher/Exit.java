package dev.vt.launcher;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.osgi.framework.BundleException;
import org.osgi.framework.launch.Framework;

/**
 * The exit code, and the way for a bundle to end the process: a service {@link IntConsumer} with the property
 * {@code vt.exit=true}. The first code counts. Any thread may call it; the call returns at once, the framework then stops
 * on its own thread.
 */
final class Exit implements IntConsumer {
    /** What a process exits with in which nobody gave a code: the interactive shell just ends. */
    private static final int UNSET = -1;

    private final Framework framework;
    private final AtomicInteger code = new AtomicInteger(UNSET);

    Exit(Framework framework) {
        this.framework = framework;
    }

    @Override
    public void accept(int value) {
        code.compareAndSet(UNSET, value & 0xff);
        try {
            framework.stop();
        } catch (BundleException e) {
            System.getLogger("dev.vt.launcher").log(Level.ERROR, "the framework can't be stopped", e);
        }
    }

    boolean given() {
        return code.get() != UNSET;
    }

    int code() {
        return Math.max(0, code.get());
    }
}
