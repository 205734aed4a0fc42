package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/** Kernel of {@code apply_allowed_token_ids}: logits[r,v] = -inf where mask[r,v] is not 0, in place on logits[R,V] (f32); mask i8. */
@FunctionalInterface
public interface ApplyAllowedTokenIds {
    Outcome run(Queue queue, Tensor logits, Tensor mask);
}
