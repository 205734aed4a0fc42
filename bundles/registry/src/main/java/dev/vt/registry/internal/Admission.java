package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tests that stand between a provider and its selection, one after the other: a thread of its own takes what the last
 * table wants tested, gives each test a thread, and publishes what came out as one change. Both threads exist only while there is
 * something to test. Its fields belong to the lock of {@link SelectionCore}; a test runs without a lock and never on a caller's
 * thread.
 */
final class Admission {
    private static final Logger LOG = System.getLogger("dev.vt.registry");

    /** How long an end waits for a test that was interrupted. */
    private static final Duration STOP = Duration.ofSeconds(5);

    private final Object lock;
    private final Runnable publish;
    private final List<Trial.Kit> kits = new ArrayList<>();
    private AdmissionSettings settings;
    private List<Trial> wanted = List.of();
    private List<String> pending = List.of();
    private @Nullable AdmissionRun current;
    private @Nullable Thread supervisor;
    private boolean closed;

    /** What {@code publish} does, it does under the lock. */
    Admission(Object lock, AdmissionSettings settings, Runnable publish) {
        this.lock = lock;
        this.settings = settings;
        this.publish = publish;
    }

    // ---- under the lock ----

    AdmissionRound round(Map<Device, List<BackendEntry>> backends) {
        return new AdmissionRound(settings.level().orElse(null), kits.isEmpty() ? null : kits.get(0), backends);
    }

    /** Takes over what the table that was just published wants. */
    void decided(AdmissionRound round) {
        wanted = round.wanted();
        pending = round.pending();
        lock.notifyAll();
        boolean due = wanted.stream().anyMatch(t -> t.kit() != null);
        if (due && supervisor == null && !closed) {
            Thread t = Thread.ofPlatform().daemon().name("vt-admission").unstarted(this::work);
            t.setContextClassLoader(null);
            supervisor = t;
            t.start();
        }
    }

    void configure(AdmissionSettings changed) {
        settings = changed;
    }

    void add(Trial.Kit kit) {
        kits.add(kit);
        kits.sort(Comparator.comparing(Trial.Kit::origin));
    }

    void remove(Trial.Kit kit) {
        kits.removeIf(k -> k == kit);
    }

    // ---- without the lock ----

    List<String> pending() {
        synchronized (lock) {
            return pending;
        }
    }

    boolean await(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        synchronized (lock) {
            while (!pending.isEmpty()) {
                long millis = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
                if (millis <= 0) {
                    return false;
                }
                lock.wait(millis);
            }
            return true;
        }
    }

    /** Ends the running test if it uses what leaves; its result is dropped. Whoever leaves then waits for its owner. */
    void abandon(Predicate<Trial> leaving) {
        synchronized (lock) {
            if (current != null && leaving.test(current.trial)) {
                current.abandon();
            }
        }
    }

    /** Ends all tests; none begins any more. */
    void close() {
        Thread waiting;
        synchronized (lock) {
            closed = true;
            waiting = supervisor;
        }
        abandon(t -> true);
        if (waiting == null) {
            return;
        }
        try {
            if (!waiting.join(STOP)) {
                LOG.log(Level.ERROR, "an admission test does not end although it was interrupted");
                waiting.interrupt();
                waiting.join(STOP);
            }
        } catch (InterruptedException e) {
            waiting.interrupt();
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        for (AdmissionRun run = claim(); run != null; run = claim()) {
            Map<Op<?>, String> failures = run.failures();
            if (failures == null) {
                drop(run);
            } else {
                keep(run, failures);
            }
        }
    }

    private @Nullable AdmissionRun claim() {
        synchronized (lock) {
            if (!closed) {
                for (Trial t : wanted) {
                    if (t.enter()) {
                        current = new AdmissionRun(t, settings.limit());
                        return current;
                    }
                }
            }
            supervisor = null;
            return null;
        }
    }

    private void drop(AdmissionRun run) {
        LOG.log(Level.DEBUG, "admission: the test of {0} was given up", run.trial);
        synchronized (lock) {
            current = null;
            publish.run();
        }
    }

    private void keep(AdmissionRun run, Map<Op<?>, String> failures) {
        Trial t = run.trial;
        synchronized (lock) {
            current = null;
            t.entry().admit(t.backend(), t.result(failures));
            publish.run();
        }
        run.report(failures);
    }
}
