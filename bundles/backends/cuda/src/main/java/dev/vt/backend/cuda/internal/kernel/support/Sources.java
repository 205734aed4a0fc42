package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.backend.cuda.internal.launch.KernelModule;

/** The files of kernels, which lie beside this class. */
public final class Sources {
    private Sources() {}

    /** A file of kernels. */
    public static KernelModule of(String file) {
        return new KernelModule(Sources.class, file);
    }
}
