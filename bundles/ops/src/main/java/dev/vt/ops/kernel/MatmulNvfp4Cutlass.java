package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code matmul_nvfp4_cutlass}: as {@link MatmulNvfp4Fp4} with swizzled scales and out in bf16. With deviceAlpha [1] f32 that
 * number is taken in the place of alpha.
 */
@FunctionalInterface
public interface MatmulNvfp4Cutlass {
    Outcome run(
            Queue queue,
            Tensor out,
            Tensor a,
            Tensor aScale,
            Tensor b,
            Tensor bScale,
            float alpha,
            @Nullable Tensor deviceAlpha);
}
