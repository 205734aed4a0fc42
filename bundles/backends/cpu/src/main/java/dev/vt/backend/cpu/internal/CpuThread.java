package dev.vt.backend.cpu.internal;

/**
 * A thread of the CPU backend: a queue's own or a worker. It inherits nothing from the thread that made it, so that it
 * keeps no class loader alive. The object that made it ends it.
 */
final class CpuThread extends Thread {
    CpuThread(String name, Runnable work) {
        super(null, work, name, 0, false);
        setDaemon(true);
        setContextClassLoader(null);
    }

    /** Waits for the thread's end. An interrupt does not end the wait and is kept. */
    void awaitEnd() {
        boolean interrupted = false;
        while (isAlive()) {
            try {
                join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** True when the caller is a task: it must not wait for a queue, which may be waiting for it. */
    static boolean isCurrent() {
        return Thread.currentThread() instanceof CpuThread;
    }
}
