package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;

/** A kernel that is compiled for single elements, and for several neighbouring ones at once. Immutable. */
public final class Widths {
    private final KernelFunction one;
    private final KernelFunction many;
    private final int width;

    /** Kernels {@code name_1} and {@code name_width}. */
    public Widths(KernelModule module, String name, int width) {
        this.one = module.function(name + "_1");
        this.many = module.function(name + "_" + width);
        this.width = width;
    }

    /** The one for several elements, if all operands allow it. */
    public KernelFunction of(boolean fits) {
        return fits ? many : one;
    }

    /** How many elements a thread takes at once. */
    public int width(boolean fits) {
        return fits ? width : 1;
    }

    /** Whether the kernel for several elements can work on a dense tensor. */
    public boolean fits(Tensor t) {
        return fits(t, width);
    }

    /** Whether each row of a dense tensor starts at a multiple of so many elements and is made of whole ones. */
    public static boolean fits(Tensor t, int width) {
        long bytes = (long) width * t.dtype().blockBytes();
        return t.lastDim() % width == 0 && (t.segment().address() + t.offset()) % bytes == 0;
    }
}
