package dev.vt.backend.cuda.internal.launch;

/** A kernel of a module by its name; compared by identity, so a kernel's class makes each once. Immutable. */
public final class KernelFunction {
    private final KernelModule module;
    private final String name;

    KernelFunction(KernelModule module, String name) {
        this.module = module;
        this.name = name;
    }

    KernelModule module() {
        return module;
    }

    String name() {
        return name;
    }

    @Override
    public String toString() {
        return name + " of " + module.file();
    }
}
