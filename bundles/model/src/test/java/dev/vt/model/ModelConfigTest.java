package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Files that a decoder can't run: one sentence each, and nothing is left open. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ModelConfigTest {
    @TempDir
    private Path directory;

    private TestRuntime runtime;

    @BeforeAll
    void start() {
        runtime = new TestRuntime();
    }

    @AfterAll
    void stop() {
        runtime.close();
    }

    @Test
    @DisplayName("an unknown architecture is named, with those that are supported")
    void architecture() {
        ModelFile file = TinyModel.of("llama").build().file.key("general.architecture", "mamba");
        refused(
                file,
                ErrorCode.UNSUPPORTED,
                "architecture 'mamba' is not supported; supported are llama, qwen2, qwen2moe, qwen3, qwen3moe,"
                        + " qwen3next");
    }

    @Test
    @DisplayName("yarn scaling is refused")
    void yarn() {
        ModelFile file = TinyModel.of("qwen2").build().file.key("qwen2.rope.scaling.type", "yarn");
        refused(
                file,
                ErrorCode.UNSUPPORTED,
                "rope scaling 'yarn' is not supported; supported are none, linear, and factors in the tensor "
                        + "rope_freqs.weight");
    }

    @Test
    @DisplayName("an attention window is refused")
    void window() {
        ModelFile file = TinyModel.of("llama").build().file.key("llama.attention.sliding_window", 4096);
        refused(
                file,
                ErrorCode.UNSUPPORTED,
                "key 'llama.attention.sliding_window': expected none or 0, since attention windows are"
                        + " not supported for llama, given 4096");
    }

    @Test
    @DisplayName("a missing tensor is named")
    void missing() {
        ModelFile file = TinyModel.of("llama").build().file.without("blk.1.ffn_up.weight");
        refused(file, ErrorCode.FORMAT, "tensor 'blk.1.ffn_up.weight': expected in the file, given no such tensor");
    }

    @Test
    @DisplayName("a tensor of another shape is named, with both shapes")
    void shape() {
        ModelFile file = TinyModel.of("llama").build().file.tensor("blk.0.attn_k.weight", new float[32 * 32], 32, 32);
        refused(
                file,
                ErrorCode.FORMAT,
                "tensor 'blk.0.attn_k.weight': expected shape [16, 32] as the file's keys say, given [32, 32]");
    }

    @Test
    @DisplayName("a tensor that the decoder does not know is refused, since the model would compute something "
            + "else without it")
    void unused() {
        ModelFile file = TinyModel.of("llama").build().file.tensor("blk.0.attn_output.bias", new float[32], 32);
        refused(
                file,
                ErrorCode.UNSUPPORTED,
                "tensor 'blk.0.attn_output.bias' is not one that a dense llama decoder of this runtime uses");
    }

    @Test
    @DisplayName("numbers that contradict each other are refused by key")
    void numbers() {
        refused(
                TinyModel.of("llama").build().file.key("llama.attention.head_count_kv", 3),
                ErrorCode.FORMAT,
                "key 'llama.attention.head_count_kv': expected a divisor of the 4 heads, given 3");
        refused(
                TinyModel.of("llama").build().file.key("llama.rope.dimension_count", 7),
                ErrorCode.FORMAT,
                "key 'llama.rope.dimension_count': expected an even number up to the head size 8, given 7");
        refused(
                TinyModel.of("llama").build().file.key("llama.block_count", 0),
                ErrorCode.FORMAT,
                "key 'llama.block_count': expected 1 or more, given 0");
        refused(
                TinyModel.of("llama").build().file.key("llama.attention.value_length", 4),
                ErrorCode.FORMAT,
                "key 'llama.attention.value_length': expected the key length 8, given 4");
        refused(
                TinyModel.of("llama").build().file.key("llama.attention.layer_norm_rms_epsilon", 0f),
                ErrorCode.FORMAT,
                "key 'llama.attention.layer_norm_rms_epsilon': expected a number above 0, given 0.0");
    }

    @Test
    @DisplayName("a vocabulary that does not fit the embedding table is refused")
    void vocabulary() {
        ModelFile file = TinyModel.of("llama").build().file.tensor("token_embd.weight", new float[100 * 32], 100, 32);
        refused(
                file,
                ErrorCode.FORMAT,
                "tensor 'token_embd.weight': expected a row for each of the 267 tokens of the vocabulary, given 100");
    }

    private void refused(ModelFile file, ErrorCode code, String message) {
        Path path = file.write(directory.resolve("model.gguf"));
        long blocks = runtime.backend().memoryUse().blocks();
        long queues = runtime.backend().memoryUse().queues();
        VtException e = assertThrows(VtException.class, () -> runtime.open(path).close());
        assertEquals(code, e.code(), e.getMessage());
        assertTrue(e.getMessage().endsWith(": " + message), e.getMessage());
        assertEquals(blocks, runtime.backend().memoryUse().blocks());
        assertEquals(queues, runtime.backend().memoryUse().queues());
    }
}
