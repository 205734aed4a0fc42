package dev.vt.conformance;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.conformance.catalogue.Catalogue;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Level;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.TestCase;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * The way in to the kit: runs a kernel through the cases of its op on a device, and says what it found. Any thread may use an
 * instance; a run belongs to its thread, and interrupting that ends it with a {@link CancellationException}.
 */
public final class Conformance {
    private final Level level;
    private final Listener listener;

    /** Is told of progress, on the thread of the run. */
    @FunctionalInterface
    public interface Listener {
        /** Called after each case. */
        void done(Op<?> op, int cases, int of);
    }

    public Conformance(Level level) {
        this(level, (op, cases, of) -> {});
    }

    public Conformance(Level level, Listener listener) {
        this.level = level;
        this.listener = listener;
    }

    /** The descriptions of all ops of the table that have one, in the order of their ids. */
    public static List<OpSpec> specs() {
        return Catalogue.all();
    }

    /** The description of an op. */
    public static Optional<OpSpec> spec(Op<?> op) {
        return specs().stream().filter(s -> s.op().equals(op)).findFirst();
    }

    /** Runs all cases of an op on the kernel under test. */
    public OpResult run(OpSpec spec, Subject subject, Backend backend) {
        List<CasePlan> plans = spec.plans(level);
        Findings findings = new Findings(spec.op());
        Queue queue = backend.createQueue();
        try {
            for (CasePlan plan : plans) {
                if (Thread.interrupted()) {
                    throw new CancellationException("the test of op " + spec.op() + " was stopped");
                }
                TestCase c = spec.make(plan);
                CaseRun.Result r = new CaseRun(c, subject, backend, queue, level).run();
                findings.add(c, r);
                if (r.fault() != null) {
                    // What went wrong may have left the queue in any state.
                    queue.close();
                    queue = backend.createQueue();
                }
                listener.done(spec.op(), findings.cases(), plans.size());
            }
        } finally {
            queue.close();
        }
        return findings.result();
    }
}
