package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import org.jspecify.annotations.Nullable;

/**
 * A linear layer: out = x * weight transposed, plus the bias where there is one. Immutable.
 *
 * @param weight [out, in], in any encoding that {@code matmul_bt} takes
 * @param bias [out] f32, or null
 */
record Projection(Tensor weight, @Nullable Tensor bias) {
    void run(Ops ops, Queue queue, Tensor out, Tensor x) {
        ops.matmulBt(queue, out, x, weight);
        if (bias != null) {
            ops.add(queue, out, out, bias);
        }
    }
}
