package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code attention}: out[T,Hq,D] = softmax(scale * query . key) . value over one sequence, causal. query is
 * [T,Hq,D], key and value are [T,Hk,D]; query head h reads key head h / (Hq / Hk). Source: Vaswani et al., Attention Is All You
 * Need, 2017; Ainslie et al., GQA, 2023.
 */
@FunctionalInterface
public interface Attention {
    Outcome run(Queue queue, Tensor out, Tensor query, Tensor key, Tensor value, float scale);
}
