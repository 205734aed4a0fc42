package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.model.gguf.GgufFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The weights of a model on one device. Where the device can read host memory they are the mapped bytes of the file,
 * without a copy; else they are uploaded. Whoever loads them closes them, before the file. Immutable; any thread may
 * use them.
 */
final class Weights implements AutoCloseable {
    private final List<Memory> memory;
    private final Tensor embedding;
    private final List<LayerWeights> layers;
    private final Tensor outputNorm;
    private final Projection output;
    private final @Nullable Tensor ropeFactors;
    private final DType activations;
    private final long sharedBytes;
    private final long expertBytes;

    private Weights(WeightLoader loader, @Nullable DType wanted) {
        ModelConfig c = loader.config;
        memory = loader.place.memory();
        embedding = loader.matrix("token_embd.weight", c.vocabulary(), c.width());
        layers = loader.layers();
        outputNorm = loader.vector("output_norm.weight", c.width());
        output = new Projection(
                c.tiedEmbeddings() ? embedding : loader.matrix("output.weight", c.vocabulary(), c.width()), null);
        ropeFactors = loader.has("rope_freqs.weight")
                ? loader.vector("rope_freqs.weight", c.rope().rotaryDim() / 2)
                : null;
        loader.refuseUnused();
        expertBytes = loader.expertBytes;
        sharedBytes = loader.place.bytes()
                - expertBytes
                - (c.tiedEmbeddings() ? 0 : Tensor.bytes(embedding.dtype(), embedding.shape()));
        activations = wanted != null ? wanted : loader.activations();
    }

    /** Checks every tensor of the file against the description and brings it to the device; uploads are queued. */
    static Weights load(GgufFile file, ModelConfig config, Backend backend, Queue queue) {
        return load(file, config, backend, queue, null);
    }

    /** The same for activations of a dtype; null takes what suits device and matrices. */
    static Weights load(GgufFile file, ModelConfig config, Backend backend, Queue queue, @Nullable DType activations) {
        WeightLoader loader = new WeightLoader(file, config, backend, queue);
        try {
            return new Weights(loader, activations);
        } catch (RuntimeException e) {
            loader.place.memory().forEach(Memory::close);
            throw e;
        }
    }

    /** [V,H]. */
    Tensor embedding() {
        return embedding;
    }

    LayerWeights layer(int i) {
        return layers.get(i);
    }

    /** [H]. */
    Tensor outputNorm() {
        return outputNorm;
    }

    /** [V,H]. */
    Projection output() {
        return output;
    }

    /** What rotary frequencies are divided by, [rotaryDim / 2], or null. */
    @Nullable
    Tensor ropeFactors() {
        return ropeFactors;
    }

    /** What lies between the products: f32 or bf16. */
    DType activations() {
        return activations;
    }

    /** Bytes that every step reads: all but experts and an embedding of which rows are looked up. */
    long sharedBytes() {
        return sharedBytes;
    }

    /** Bytes of all experts. */
    long expertBytes() {
        return expertBytes;
    }

    @Override
    public void close() {
        memory.forEach(Memory::close);
    }
}
