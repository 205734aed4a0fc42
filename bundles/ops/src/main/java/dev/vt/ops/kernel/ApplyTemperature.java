package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code apply_temperature}: divides logits[R,V] (f32) in place by temperature[R] (f32); below 1e-5 by 1, unless
 * allRandom, when the caller promises that none is.
 */
@FunctionalInterface
public interface ApplyTemperature {
    Outcome run(Queue queue, Tensor logits, Tensor temperature, boolean allRandom);
}
