package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Backend;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The logits of each step against a forward pass in double precision, for each architecture. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DecoderLogitsTest {
    /** f32 against f64 through a few layers: observed differences are below a tenth of this. */
    private static final double TOLERANCE = 1e-4;

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
    @DisplayName("llama: neighbouring pairs, grouped heads, tied embeddings")
    void llama() {
        compare(TinyModel.of("llama").build());
    }

    @Test
    @DisplayName("llama: frequency factors, linear scaling, part of the head rotated, output matrix of its own")
    void llamaScaled() {
        compare(TinyModel.of("llama")
                .heads(3, 1, 12)
                .rope(8, 500_000, 4, true)
                .untied()
                .layers(3)
                .build());
    }

    @Test
    @DisplayName("qwen2: biases, halves paired, as many key heads as query heads")
    void qwen2() {
        compare(TinyModel.of("qwen2")
                .heads(4, 4, 8)
                .rope(8, 1_000_000, 1, false)
                .build());
    }

    @Test
    @DisplayName("qwen3: norms of heads, head size that is not width / heads")
    void qwen3() {
        compare(TinyModel.of("qwen3")
                .heads(4, 2, 16)
                .rope(16, 1_000_000, 1, false)
                .untied()
                .build());
    }

    @Test
    @DisplayName("a device that can't read host memory gets the weights uploaded")
    void upload() {
        compare(TinyModel.of("llama").build(), withoutImport(runtime.backend()));
    }

    private void compare(TinyModel model) {
        compare(model, runtime.backend());
    }

    /** A prompt of several chunks and cache blocks, then some tokens more; every step's logits are compared. */
    private void compare(TinyModel model, Backend backend) {
        int[] prompt = prompt(37, model.vocabulary);
        List<float[]> steps = new ArrayList<>();
        GenerateResult result;
        try (TextGenerator generator = TextGenerator.open(
                model.write(directory),
                backend,
                runtime.ops(),
                ModelOptions.of(backend).withChunk(16))) {
            result = generator
                    .generateTokens(List.of(prompt), greedy(20), new GenerateListener() {
                        @Override
                        public void token(int sequence, int id, String text) {
                            steps.add(floats(
                                    generator.workspace().buffers().logits.of(1)));
                        }
                    })
                    .getFirst();
        }
        int[] all = new int[prompt.length + 20];
        System.arraycopy(prompt, 0, all, 0, prompt.length);
        for (int i = 0; i < 20; i++) {
            all[prompt.length + i] = result.tokens().get(i);
        }
        double[][] expected = new ReferenceDecoder(model).logits(all);
        for (int step = 0; step < steps.size(); step++) {
            double[] row = expected[prompt.length - 1 + step];
            for (int v = 0; v < row.length; v++) {
                assertEquals(row[v], steps.get(step)[v], TOLERANCE, "step " + step + ", token " + v);
            }
        }
        assertEquals(20, steps.size());
    }

    private static GenerateOptions greedy(int tokens) {
        return new GenerateOptions(tokens, 0, 0, 1, 0, 1, 0, 0, 0, true);
    }

    static int[] prompt(int length, int vocabulary) {
        return new Random(length).ints(length, 3, vocabulary).toArray();
    }

    static float[] floats(Tensor tensor) {
        MemorySegment data = tensor.segment().asSlice(tensor.offset(), 4 * tensor.elements());
        return data.toArray(ValueLayout.JAVA_FLOAT);
    }

    private static Backend withoutImport(Backend backend) {
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("importHost")) {
                        return Optional.empty();
                    }
                    try {
                        return method.invoke(backend, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
