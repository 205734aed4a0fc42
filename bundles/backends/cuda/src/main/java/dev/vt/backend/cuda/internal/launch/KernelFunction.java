package dev.vt.backend.cuda.internal.launch;

/** A kernel of a module by its name; compared by identity, so a kernel's class makes each once. Immutable. */
public final class KernelFunction {
    private final KernelModule module;
    private final String name;
    private final int shared;
    private final int cluster;

    KernelFunction(KernelModule module, String name, int shared, int cluster) {
        this.module = module;
        this.name = name;
        this.shared = shared;
        this.cluster = cluster;
    }

    KernelModule module() {
        return module;
    }

    String name() {
        return name;
    }

    /** The most bytes of shared memory that a launch asks for, beside what the kernel declares itself. */
    int shared() {
        return shared;
    }

    /** How many blocks form a cluster. */
    int cluster() {
        return cluster;
    }

    @Override
    public String toString() {
        return name + " of " + module.file();
    }
}
