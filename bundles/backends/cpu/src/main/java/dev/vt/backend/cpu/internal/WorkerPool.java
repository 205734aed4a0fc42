package dev.vt.backend.cpu.internal;

import dev.vt.api.VtException;
import dev.vt.backend.cpu.CpuWorkers;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The worker threads of one CPU backend, shared by all its queues. One task at a time spreads its work over them; a
 * task that finds them taken (by another queue, or by itself further up its stack) does all its ranges on its own
 * thread. The backend owns the pool and closes it last. Workers look for work for a moment and then sleep.
 */
final class WorkerPool implements CpuWorkers, AutoCloseable {
    private final Worker[] workers;
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile @Nullable Ranges current;
    private volatile boolean closed;

    /** A pool in which {@code parallelism} threads work at the same time, the caller included. */
    WorkerPool(int parallelism) {
        workers = new Worker[parallelism - 1];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i + 1);
        }
        for (Worker w : workers) {
            w.thread.start();
        }
    }

    @Override
    public int parallelism() {
        return workers.length + 1;
    }

    @Override
    public void forRange(long n, long grain, RangeTask body) {
        if (n < 0 || grain < 1) {
            throw VtException.invalidArgument(
                    "forRange: expected n of 0 or more and a grain of 1 or more, given " + n + " and " + grain);
        }
        if (n == 0) {
            return;
        }
        if (n <= grain || workers.length == 0 || !taken.compareAndSet(false, true)) {
            body.run(0, n);
            return;
        }
        try {
            spread(new Ranges(body, n, grain, parallelism()));
        } finally {
            taken.set(false);
        }
    }

    private void spread(Ranges ranges) {
        current = ranges;
        long helpers = Math.min(workers.length, ranges.count() - 1);
        for (int i = 0; i < helpers; i++) {
            workers[i].wake();
        }
        ranges.work();
        ranges.awaitDone();
        // A sleeping worker must not keep the task's memory alive.
        current = null;
        ranges.rethrow();
    }

    /** Ends the threads; no task may be running. */
    @Override
    public void close() {
        closed = true;
        for (Worker w : workers) {
            LockSupport.unpark(w.thread);
        }
        for (Worker w : workers) {
            w.thread.awaitEnd();
        }
    }

    private final class Worker implements Runnable {
        private final CpuThread thread;
        private volatile boolean asleep;
        private @Nullable Ranges last;

        Worker(int number) {
            thread = new CpuThread("vt-cpu-worker-" + number, this);
        }

        void wake() {
            if (asleep) {
                LockSupport.unpark(thread);
            }
        }

        @Override
        public void run() {
            while (!closed) {
                Ranges ranges = current;
                if (ranges != null && ranges != last) {
                    last = ranges;
                    ranges.work();
                } else if (!Spin.until(this::hasWork)) {
                    sleep();
                }
            }
        }

        private boolean hasWork() {
            Ranges ranges = current;
            return (ranges != null && ranges != last) || closed;
        }

        private void sleep() {
            last = null;
            asleep = true;
            while (current == null && !closed) {
                LockSupport.park(WorkerPool.this);
            }
            asleep = false;
        }
    }
}
