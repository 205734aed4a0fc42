package dev.vt.backend.cpu;

/** Work of a kernel on the queue's thread. */
@FunctionalInterface
public interface CpuTask {
    void run(CpuWorkers workers);
}
