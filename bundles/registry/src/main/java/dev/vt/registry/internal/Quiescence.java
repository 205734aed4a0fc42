package dev.vt.registry.internal;

import dev.vt.api.device.Backend;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Waits until nothing can be inside a provider that has left the table: no pin of an older epoch, nobody inside its owner, no
 * queued work on its devices. The wait is bounded; what still holds on is logged by the name of its thread.
 */
final class Quiescence {
    private static final Logger LOG = System.getLogger("dev.vt.registry");

    /** A step is a token or a batch of a prompt; what takes longer than this hangs. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** When the first line about a long wait is written. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final PinTable pins;

    Quiescence(PinTable pins) {
        this.pins = pins;
    }

    /** Waits for all that may see a table older than {@code epoch}. The calling thread's own pins are left out. */
    void await(String who, long epoch, @Nullable Owner owner, List<Backend> backends) {
        long start = System.nanoTime();
        boolean said = false;
        long own = Thread.currentThread().threadId();
        for (int round = 0; ; round++) {
            List<Long> holders = holders(epoch, own);
            boolean inside = owner != null && owner.inside() > 0;
            if (holders.isEmpty() && !inside) {
                break;
            }
            long waited = System.nanoTime() - start;
            if (waited > LIMIT.toNanos()) {
                LOG.log(
                        Level.ERROR,
                        "{0} leaves although after {1} s it is still used by {2}",
                        who,
                        LIMIT.toSeconds(),
                        names(holders, inside));
                return;
            }
            if (!said && waited > PATIENCE.toNanos()) {
                said = true;
                LOG.log(Level.WARNING, "{0} waits to leave; it is still used by {1}", who, names(holders, inside));
            }
            if (round < 100) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, 100_000);
            }
        }
        drain(who, backends, LIMIT.toNanos() - (System.nanoTime() - start));
    }

    private List<Long> holders(long epoch, long own) {
        List<Long> out = new ArrayList<>();
        pins.forEach(slot -> {
            long e = slot.epoch;
            if (e != 0 && e < epoch && slot.threadId != own) {
                out.add(slot.threadId);
            }
        });
        return out;
    }

    /** Drains each backend on a thread of its own, since a queue may wait for an event that never comes. */
    private static void drain(String who, List<Backend> backends, long nanos) {
        for (Backend backend : backends) {
            Thread drainer = Thread.ofPlatform()
                    .daemon()
                    .name("vt-drain-" + backend.device())
                    .unstarted(backend::drain);
            drainer.setContextClassLoader(null);
            drainer.start();
            try {
                if (!drainer.join(Duration.ofNanos(Math.max(1, nanos)))) {
                    LOG.log(Level.ERROR, "{0} leaves although work queued on {1} does not end", who, backend.device());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                LOG.log(
                        Level.WARNING,
                        "{0} leaves without waiting for work queued on {1}: interrupted",
                        who,
                        backend.device());
                return;
            }
        }
    }

    private static String names(List<Long> ids, boolean inside) {
        List<String> out = new ArrayList<>();
        for (long id : ids) {
            out.add(name(id));
        }
        if (inside) {
            out.add("a lease, a graph launch or an admission test");
        }
        return String.join(", ", out);
    }

    private static String name(long id) {
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            if (t.threadId() == id) {
                return "thread '" + t.getName() + "'";
            }
        }
        return "virtual or ended thread " + id;
    }
}
