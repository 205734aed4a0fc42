package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code apply_top_k_top_p}: masks logits[R,V] (f32) in place with negative infinity: all but the k[r] (i32) largest,
 * then all outside the smallest set whose probability reaches p[r] (f32). Ties keep the lowest index. Either may be absent.
 */
@FunctionalInterface
public interface ApplyTopKTopP {
    Outcome run(Queue queue, Tensor logits, @Nullable Tensor k, @Nullable Tensor p);
}
