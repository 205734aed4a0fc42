package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.model.SyntheticModel.Spec;
import dev.vt.model.gguf.GgufFile;
import dev.vt.model.gguf.GgufTensor;
import dev.vt.model.tokenizer.Tokenizer;
import dev.vt.model.tokenizer.Tokenizers;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyntheticModelTest {
    private static final Set<DType> NOT_FOR_WEIGHTS = EnumSet.of(DType.I8, DType.I32, DType.I64, DType.Q8_K);

    @TempDir
    Path directory;

    @Test
    @DisplayName("A tiny model of each format is written and read, with finite scales")
    void formats() throws IOException {
        for (DType dtype : DType.values()) {
            if (NOT_FOR_WEIGHTS.contains(dtype)) {
                assertThrows(VtException.class, () -> Spec.preset("tiny", dtype));
                continue;
            }
            try (GgufFile file = write(Spec.preset("tiny", dtype))) {
                assertEquals(dtype, file.tensor("blk.1.ffn_down.weight").dtype());
                assertArrayEquals(
                        new long[] {256, 512},
                        file.tensor("blk.1.ffn_down.weight").shape());
                assertEquals(DType.F32, file.tensor("output_norm.weight").dtype());
            }
        }
    }

    @Test
    @DisplayName("Weights have mean 0 and keep the size of what they are multiplied with")
    void spread() throws IOException {
        try (GgufFile file = write(Spec.preset("tiny", DType.F32))) {
            assertSpread(file.tensor("token_embd.weight"), 0, 1 / 16.0);
            assertSpread(file.tensor("output_norm.weight"), 1, 0.05);
        }
        try (GgufFile file = write(Spec.preset("tiny", DType.Q8_0))) {
            MemorySegment data = file.tensor("token_embd.weight").data();
            double sum = 0;
            double squares = 0;
            long n = 0;
            for (long block = 0; block < data.byteSize(); block += DType.Q8_0.blockBytes()) {
                float scale = Float.float16ToFloat(data.get(ValueLayout.JAVA_SHORT_UNALIGNED, block));
                for (int i = 0; i < 32; i++, n++) {
                    double value = scale * data.get(ValueLayout.JAVA_BYTE, block + 2 + i);
                    sum += value;
                    squares += value * value;
                }
            }
            assertEquals(0, sum / n, 0.002);
            assertEquals(1 / 16.0, Math.sqrt(squares / n), 0.001);
        }
    }

    private static void assertSpread(GgufTensor tensor, double mean, double deviation) {
        float[] values = tensor.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        double sum = 0;
        double squares = 0;
        for (float value : values) {
            sum += value;
            squares += (value - mean) * (value - mean);
        }
        assertEquals(mean, sum / values.length, deviation / 5);
        assertEquals(deviation, Math.sqrt(squares / values.length), deviation / 5);
    }

    @Test
    @DisplayName("The same specification gives the same bytes, another seed gives others")
    void deterministic() throws IOException {
        Spec spec = Spec.preset("tiny", DType.Q4_K);
        Path first = directory.resolve("first.gguf");
        Path second = directory.resolve("second.gguf");
        Path third = directory.resolve("third.gguf");
        SyntheticModel.write(first, spec);
        SyntheticModel.write(second, spec);
        SyntheticModel.write(third, spec.withSeed(2));
        assertEquals(-1, Files.mismatch(first, second));
        assertTrue(Files.mismatch(first, third) >= 0);
    }

    @Test
    @DisplayName("Each architecture has the tensors of its own")
    void architectures() throws IOException {
        Spec tiny = Spec.preset("tiny", DType.Q8_0);
        try (GgufFile llama = write(tiny);
                GgufFile qwen2 = write(tiny.withArchitecture("qwen2"));
                GgufFile qwen3 = write(tiny.withArchitecture("qwen3").untied())) {
            assertEquals(2 + 2 * 9, llama.tensors().size());
            assertArrayEquals(
                    new long[] {128}, qwen2.tensor("blk.0.attn_k.bias").shape());
            assertArrayEquals(
                    new long[] {64}, qwen3.tensor("blk.1.attn_q_norm.weight").shape());
            assertArrayEquals(
                    new long[] {512, 256}, qwen3.tensor("output.weight").shape());
            assertEquals(256, qwen3.metadata().longValue("qwen3.embedding_length"));
        }
        assertThrows(VtException.class, () -> tiny.withArchitecture("bert"));
        assertThrows(VtException.class, () -> Spec.preset("huge", DType.Q8_0));
    }

    @Test
    @DisplayName(
            "A mixture has a router, the matrices of all experts in one tensor each, and a shared expert if wanted")
    void experts() throws IOException {
        Spec tiny = Spec.preset("tiny-moe", DType.Q4_K);
        try (GgufFile shared = write(tiny);
                GgufFile plain =
                        write(tiny.withArchitecture("qwen3moe").withExperts(new SyntheticModel.Experts(4, 1, 32, 0)))) {
            assertEquals(8, shared.metadata().longValue("qwen2moe.expert_count"));
            assertArrayEquals(
                    new long[] {8, 256, 128},
                    shared.tensor("blk.1.ffn_down_exps.weight").shape());
            assertEquals(DType.Q8_0, shared.tensor("blk.1.ffn_down_exps.weight").dtype());
            assertEquals(DType.Q4_K, shared.tensor("blk.1.ffn_up_exps.weight").dtype());
            assertEquals(DType.F32, shared.tensor("blk.0.ffn_gate_inp.weight").dtype());
            assertArrayEquals(
                    new long[] {256},
                    shared.tensor("blk.0.ffn_gate_inp_shexp.weight").shape());
            assertTrue(plain.findTensor("blk.0.ffn_gate_shexp.weight").isEmpty());
            assertTrue(plain.findTensor("blk.0.ffn_gate.weight").isEmpty());
        }
        assertThrows(VtException.class, () -> new SyntheticModel.Experts(4, 5, 32, 0));
        assertThrows(VtException.class, () -> new SyntheticModel.Experts(4, 2, 33, 0));
        assertTrue(Spec.presets().stream().allMatch(name -> Spec.preset(name, DType.F16) != null));
    }

    @Test
    @DisplayName("Rows that are not whole blocks of the wanted format are q8_0")
    void fallback() throws IOException {
        Spec spec = new Spec("llama", 96, 1, 3, 1, 32, 256, 257, 64, 10_000, 1e-5f, DType.Q6_K, true, 1);
        try (GgufFile file = write(spec)) {
            assertEquals(DType.Q8_0, file.tensor("blk.0.ffn_up.weight").dtype());
            assertEquals(DType.Q6_K, file.tensor("blk.0.ffn_down.weight").dtype());
        }
    }

    @Test
    @DisplayName("Any text goes through the vocabulary and back")
    void text() throws IOException {
        try (GgufFile file = write(Spec.preset("tiny", DType.Q4_0))) {
            Tokenizer tokenizer = Tokenizers.of(file);
            assertEquals(512, tokenizer.size());
            assertArrayEquals(new int[] {'H', 'i', ' ', 0xC3, 0xBC}, tokenizer.encode("Hi ü"));
            assertEquals("Hi ü", tokenizer.decode(tokenizer.encode("Hi ü")));
            assertTrue(tokenizer.isEnd(256));
        }
    }

    private GgufFile write(Spec spec) throws IOException {
        Path path = Files.createTempFile(directory, "synthetic", ".gguf");
        SyntheticModel.write(path, spec);
        return GgufFile.open(path);
    }
}
