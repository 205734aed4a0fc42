package dev.vt.registry.internal;

import dev.vt.api.op.Op;
import dev.vt.api.spi.KernelSet;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One run of an admission test on a thread of its own, made and awaited by {@link Admission}. What the test throws, or that it
 * does not end, is a reason against all kernels of the provider and harms nobody else. Whoever makes a run has entered its trial;
 * the run leaves it when the test has ended, however late that is.
 */
final class AdmissionRun {
    private static final Logger LOG = System.getLogger("dev.vt.registry");

    final Trial trial;
    private final KernelSet kernels;
    private final Duration limit;
    private final Thread thread;
    private volatile boolean abandoned;
    private @Nullable Map<Op<?>, String> found;
    private long nanos;

    /** Under the lock of {@link SelectionCore}. */
    AdmissionRun(Trial trial, Duration limit) {
        this.trial = trial;
        this.kernels = set(trial.entry().facts.kernels());
        this.limit = limit;
        this.thread = Thread.ofPlatform().daemon().name("vt-admission " + trial).unstarted(this::test);
        thread.setContextClassLoader(null);
    }

    private static KernelSet set(Map<Op<?>, Object> kernels) {
        KernelSet.Builder out = KernelSet.builder();
        kernels.forEach((op, kernel) -> put(out, op, kernel));
        return out.build();
    }

    private static <K> void put(KernelSet.Builder out, Op<K> op, Object kernel) {
        out.put(op, op.kernelType().cast(kernel));
    }

    /** Its result is dropped, and it is asked to end. */
    void abandon() {
        abandoned = true;
        thread.interrupt();
    }

    /** Runs the test: refused ops and why, or null when the test was abandoned. */
    @Nullable
    Map<Op<?>, String> failures() {
        long start = System.nanoTime();
        thread.start();
        try {
            boolean ended = thread.join(limit);
            nanos = System.nanoTime() - start;
            if (ended) {
                return abandoned ? null : found;
            }
        } catch (InterruptedException e) {
            abandoned = true;
        }
        thread.interrupt();
        return abandoned ? null : all("the test did not end within " + limit.toSeconds() + " s");
    }

    private void test() {
        try {
            if (!abandoned) {
                found = ownOps(Objects.requireNonNull(
                        Objects.requireNonNull(trial.kit())
                                .test()
                                .failures(
                                        trial.backend().backend(), trial.entry().name(), kernels, trial.level()),
                        "the test kit returned null"));
            }
        } catch (Throwable e) { // whatever a provider's code throws is its own fault, and nobody else's
            found = all("the test threw " + e);
        } finally {
            trial.exit();
        }
    }

    private Map<Op<?>, String> ownOps(Map<Op<?>, String> failures) {
        Map<Op<?>, String> out = new TreeMap<>();
        failures.forEach((op, sentence) -> {
            if (kernels.asMap().containsKey(op)) {
                out.put(op, "admission: " + sentence);
            }
        });
        return out;
    }

    private Map<Op<?>, String> all(String reason) {
        Map<Op<?>, String> out = new TreeMap<>();
        kernels.asMap().keySet().forEach(op -> out.put(op, "admission: " + reason));
        return out;
    }

    /** Says what came out. */
    void report(Map<Op<?>, String> failures) {
        int tested = kernels.asMap().size();
        LOG.log(
                Level.DEBUG,
                "admission: {0}: {1} kernels tested in {2} ms, {3} refused",
                trial,
                tested,
                nanos / 1_000_000,
                failures.size());
        TreeSet<String> reasons = new TreeSet<>(failures.values());
        if (failures.size() == tested && reasons.size() == 1) {
            LOG.log(Level.WARNING, "provider {0}: all kernels are refused: {1}", trial, reasons.first());
            return;
        }
        failures.forEach((op, reason) ->
                LOG.log(Level.WARNING, "provider {0}: the kernel of op {1} is refused: {2}", trial, op, reason));
    }
}
