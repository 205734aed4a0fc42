package dev.vt.model;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.tensor.DType;
import org.jspecify.annotations.Nullable;

/**
 * How a generator works on its device. None of it changes what is computed, but for the activations' rounding.
 *
 * @param chunk prompt tokens that go through the decoder in one step
 * @param graphs decode steps are captured, a graph for each padded number of sequences, and replayed
 * @param ahead the device goes on to the next token while the host still reads the last one, so the end of a text is noticed a
 *     step late; where penalties need the token on the host it does not
 * @param activations f32 or bf16, what lies between the products and in the cache; null takes bf16 on a device with memory of
 *     its own for a dense decoder whose matrices are bf16, and else f32
 */
public record ModelOptions(
        int chunk, boolean graphs, boolean ahead, @Nullable DType activations) {
    /** As many as a CPU does with its caches full. */
    private static final int HOST_CHUNK = 128;

    /** Enough to keep the units of a large device busy. */
    private static final int DEVICE_CHUNK = 512;

    public ModelOptions {
        if (chunk < 1) {
            throw VtException.invalidArgument("model options: chunk: expected 1 or more, given " + chunk);
        }
        if (activations != null && activations != DType.F32 && activations != DType.BF16) {
            throw VtException.invalidArgument(
                    "model options: activations: expected f32 or bf16, given " + activations.label());
        }
    }

    /** What is best for a device: graphs and going ahead where the host can't look into its memory anyway. */
    public static ModelOptions of(Backend backend) {
        boolean apart = !backend.hostAddressable();
        return new ModelOptions(
                apart ? DEVICE_CHUNK : HOST_CHUNK, apart && backend.supportsGraphCapture(), apart, null);
    }

    public ModelOptions withChunk(int tokens) {
        return new ModelOptions(tokens, graphs, ahead, activations);
    }

    public ModelOptions withGraphs(boolean value) {
        return new ModelOptions(chunk, value, ahead, activations);
    }

    public ModelOptions withAhead(boolean value) {
        return new ModelOptions(chunk, graphs, value, activations);
    }

    public ModelOptions withActivations(@Nullable DType dtype) {
        return new ModelOptions(chunk, graphs, ahead, dtype);
    }
}
