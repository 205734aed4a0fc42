package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code rope_neox}: rotates in place the first {@code rotaryDim} elements of each head of q[T,Hq,D] and k[T,Hk,D]
 * (f32 or bf16), element i paired with i + rotaryDim / 2. positions[T] i32 or i64. Angles are computed in double precision. With
 * sections positions are [3,T], and each pair has the one of its section.
 * Source: Su et al., RoFormer, 2021; the pairing is that of GPT-NeoX.
 */
@FunctionalInterface
public interface RopeNeox {
    Outcome run(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor positions,
            RopeFrequencies frequencies,
            @Nullable MropeSections sections);
}
