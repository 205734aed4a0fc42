package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kernel of {@code rope_cos_sin_cache}: cosSin[t] = cos of the rotaryDim / 2 angles of positions[t], then their sines; f32,
 * the angle in double precision. factors[rotaryDim / 2] f32, if present, divide the frequencies.
 */
@FunctionalInterface
public interface RopeCosSinCache {
    Outcome run(Queue queue, Tensor cosSin, Tensor positions, RopeFrequencies frequencies, @Nullable Tensor factors);
}
