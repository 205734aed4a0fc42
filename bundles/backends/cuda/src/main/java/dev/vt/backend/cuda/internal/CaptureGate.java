package dev.vt.backend.cuda.internal;

import dev.vt.api.device.Device;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the captures of a device apart from work that would break them. Many captures may be on at once; the work waits for them, not
 * for ever, and lets no new one begin. Any thread may call it, and a capture may end on another thread than it began on.
 */
final class CaptureGate {
    private static final System.Logger LOG = System.getLogger("dev.vt.backend.cuda");

    /** A capture takes milliseconds; one that takes longer than this may never be ended. */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Device device;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int captures;
    private boolean held;

    CaptureGate(Device device) {
        this.device = device;
    }

    /** A capture is about to begin. */
    void begin() {
        lock.lock();
        try {
            while (held) {
                changed.awaitUninterruptibly();
            }
            captures++;
        } finally {
            lock.unlock();
        }
    }

    /** A capture has ended. */
    void end() {
        lock.lock();
        try {
            captures--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Does some work while no capture is on. */
    void between(Runnable work) {
        hold();
        try {
            work.run();
        } finally {
            lock.lock();
            try {
                held = false;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private void hold() {
        lock.lock();
        try {
            while (held) {
                changed.awaitUninterruptibly();
            }
            held = true;
            long left = LIMIT_NANOS;
            while (captures > 0 && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (captures > 0) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "device {0}: {1} captures are still on and will be broken by what can''t wait for them any"
                                + " longer",
                        device,
                        captures);
            }
            lock.unlock();
        }
    }
}
