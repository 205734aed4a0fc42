package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of ops with two inputs and one output: {@code add} (a + b, b of a's shape, or [D] added to every row of a; out may be the
 * same view as a), {@code sigmoid_gate_bf16} (a * sigmoid(b), all of one shape, out bf16), {@code moe_silu_mul} (silu(a) * b),
 * {@code shared_expert_gate} (sigmoid(b[t]) * a[t] of a[T,H] and b[T] or [T,1], out bf16).
 */
@FunctionalInterface
public interface Binary {
    Outcome run(Queue queue, Tensor out, Tensor a, Tensor b);
}
