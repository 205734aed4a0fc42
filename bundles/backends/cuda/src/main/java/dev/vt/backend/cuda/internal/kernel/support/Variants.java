package dev.vt.backend.cuda.internal.kernel.support;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;

/** A kernel that is compiled once for each float type of its input and of its output. Immutable. */
public final class Variants {
    private static final DType[] INPUTS = {DType.F32, DType.F16, DType.BF16};

    private final KernelFunction[] toF32 = new KernelFunction[INPUTS.length];
    private final KernelFunction[] toBf16 = new KernelFunction[INPUTS.length];

    public Variants(KernelModule module, String name) {
        for (int i = 0; i < INPUTS.length; i++) {
            toF32[i] = module.function(name + "_" + INPUTS[i] + "_" + DType.F32);
            toBf16[i] = module.function(name + "_" + INPUTS[i] + "_" + DType.BF16);
        }
    }

    /** The one for a tensor of f32, f16 or bf16 to one of f32 or bf16. */
    public KernelFunction of(Tensor in, Tensor out) {
        return (out.dtype() == DType.F32 ? toF32 : toBf16)[in.dtype().ordinal()];
    }

    /** A kernel that is compiled once for each float type of its input: by the numbers of these types. */
    public static KernelFunction[] inputs(KernelModule module, String name) {
        KernelFunction[] functions = new KernelFunction[INPUTS.length];
        for (int i = 0; i < INPUTS.length; i++) {
            functions[i] = module.function(name + "_" + INPUTS[i]);
        }
        return functions;
    }
}
