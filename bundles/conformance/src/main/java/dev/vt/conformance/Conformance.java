package dev.vt.conformance;

import dev.vt.api.device.Backend;
import dev.vt.api.op.Op;
import dev.vt.conformance.catalogue.Catalogue;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Level;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;

/**
 * The way in to the kit: runs a kernel through the cases of its op on a device, and says what it found. Any thread may use an
 * instance; a run belongs to its thread, and interrupting that ends it with a {@link CancellationException}.
 */
public final class Conformance {
    /** Failures of one op that are kept: the first ones tell what is wrong. */
    private static final int KEPT = 20;

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
        long start = System.nanoTime();
        List<CasePlan> plans = spec.plans(level);
        List<OpResult.Failure> failures = new ArrayList<>();
        Map<String, Long> declines = new TreeMap<>();
        Map<String, Double> worst = new TreeMap<>();
        int served = 0;
        int failed = 0;
        int n = 0;
        for (CasePlan plan : plans) {
            if (Thread.interrupted()) {
                throw new CancellationException("the test of op " + spec.op() + " was stopped");
            }
            TestCase c = spec.make(plan);
            CaseRun.Result r = new CaseRun(c, subject, backend, level).run();
            if (r.declined() != null) {
                declines.merge(r.declined(), 1L, Long::sum);
            } else {
                served++;
            }
            if (r.fault() == null) {
                worst.merge(c.dtype().label(), r.error(), Math::max);
            } else if (failed++ < KEPT) {
                failures.add(new OpResult.Failure(spec.op().name(), c.label(), r.fault()));
            }
            listener.done(spec.op(), ++n, plans.size());
        }
        return new OpResult(
                spec.op().name(),
                n,
                served,
                failed,
                List.copyOf(failures),
                declines,
                worst,
                (System.nanoTime() - start) / 1e9);
    }
}
