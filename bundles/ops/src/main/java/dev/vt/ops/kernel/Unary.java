package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of ops with one input and one output: {@code silu_and_mul}, {@code gelu_and_mul} (x[T,2D] to out[T,D]),
 * {@code cast_bf16}, {@code cast_f32}, {@code relu}, {@code compute_probs}, {@code compute_logprobs}.
 */
@FunctionalInterface
public interface Unary {
    Outcome run(Queue queue, Tensor out, Tensor x);
}
