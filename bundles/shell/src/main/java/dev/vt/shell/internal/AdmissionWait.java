package dev.vt.shell.internal;

import dev.vt.api.op.OpRegistry;
import dev.vt.api.spi.AdmissionTest;
import java.io.PrintStream;
import java.time.Duration;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.util.tracker.ServiceTracker;

/**
 * Holds commands back until the providers that are there have been tested, so that two runs of one command use the same kernels.
 * The wait is bounded, and what it did not wait for is said. One thread.
 */
final class AdmissionWait {
    /** The test kit starts with the framework; one that takes longer is not installed. */
    private static final Duration KIT = Duration.ofSeconds(5);

    /** More than the registry gives one test, so that a single one that hangs is not what ends this. */
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final BundleContext context;
    private final PrintStream err;

    AdmissionWait(BundleContext context, PrintStream err) {
        this.context = context;
        this.err = err;
    }

    void await() throws InterruptedException {
        ServiceReference<OpRegistry> reference = context.getServiceReference(OpRegistry.class);
        OpRegistry ops = reference == null ? null : context.getService(reference);
        if (ops == null) {
            return; // the commands said so already
        }
        try {
            await(ops);
        } finally {
            context.ungetService(reference);
        }
    }

    private void await(OpRegistry ops) throws InterruptedException {
        if (ops.pendingAdmissions().isEmpty()) {
            return;
        }
        if (!kitThere()) {
            err.println(
                    "vt: the commands run without providers that are not tested, since no test kit is there; start the"
                            + " bundle dev.vt.conformance, or set vt.admission=off: " + pending(ops));
        } else if (!ops.awaitAdmission(LIMIT)) {
            err.println("vt: the commands run without providers that after " + LIMIT.toSeconds() + " s are not tested: "
                    + pending(ops));
        }
    }

    private static String pending(OpRegistry ops) {
        return String.join("; ", ops.pendingAdmissions());
    }

    private boolean kitThere() throws InterruptedException {
        ServiceTracker<Object, Object> tracker = new ServiceTracker<>(context, AdmissionTest.class.getName(), null);
        tracker.open();
        try {
            return tracker.waitForService(KIT.toMillis()) != null;
        } finally {
            tracker.close();
        }
    }
}
