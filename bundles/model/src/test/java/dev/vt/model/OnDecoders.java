package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A test of small decoders: greedy tokens and logits beside those of a forward pass in double precision. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnDecoders {
    static final int STEPS = 32;

    @TempDir
    Path directory;

    TestRuntime runtime;

    @BeforeAll
    void start() {
        runtime = new TestRuntime();
    }

    @AfterAll
    void stop() {
        runtime.close();
    }

    /** Tokens and logits of each step of one prompt. */
    record Trace(List<Integer> tokens, List<float[]> logits) {}

    Trace trace(Path file, int[] prompt, int chunk) {
        List<float[]> steps = new ArrayList<>();
        try (TextGenerator generator = runtime.open(file, chunk)) {
            List<Integer> tokens = generator
                    .generateTokens(List.of(prompt), greedy(), new GenerateListener() {
                        @Override
                        public void token(int sequence, int id, String text) {
                            Workspace workspace = Objects.requireNonNull(generator.workspace());
                            steps.add(DecoderLogitsTest.floats(
                                    workspace.buffers().logits.of(1)));
                        }
                    })
                    .getFirst()
                    .tokens();
            return new Trace(tokens, steps);
        }
    }

    static GenerateOptions greedy() {
        return new GenerateOptions(STEPS, 0, 0, 1, 0, 1, 0, 0, 0, true);
    }

    /** The tokens that a generator which is open gives for one prompt alone. */
    static List<Integer> alone(TextGenerator generator, int[] prompt) {
        return generator
                .generateTokens(List.of(prompt), greedy(), GenerateListener.NONE)
                .getFirst()
                .tokens();
    }

    /** Holds a file against logits in double precision of all tokens of the prompt and of what came out. */
    void compare(Path file, int vocabulary, Function<int[], double[][]> reference, double tolerance) {
        int[] prompt = DecoderLogitsTest.prompt(37, vocabulary);
        Trace trace = trace(file, prompt, 16);
        assertEquals(STEPS, trace.tokens().size());
        int[] all = new int[prompt.length + STEPS];
        System.arraycopy(prompt, 0, all, 0, prompt.length);
        for (int i = 0; i < STEPS; i++) {
            all[prompt.length + i] = trace.tokens().get(i);
        }
        double[][] expected = reference.apply(all);
        for (int step = 0; step < STEPS; step++) {
            double[] row = expected[prompt.length - 1 + step];
            int best = 0;
            for (int v = 0; v < row.length; v++) {
                best = row[v] > row[best] ? v : best;
                assertEquals(row[v], trace.logits().get(step)[v], tolerance, "step " + step + ", token " + v);
            }
            assertEquals(best, trace.tokens().get(step), "step " + step);
        }
    }

    /** Three prompts together, twice with one generator, each as if it were alone; {@code round} looks at the generator after each. */
    void batch(Path file, int vocabulary, Consumer<TextGenerator> round) {
        List<int[]> prompts = List.of(
                DecoderLogitsTest.prompt(23, vocabulary),
                DecoderLogitsTest.prompt(1, vocabulary),
                DecoderLogitsTest.prompt(40, vocabulary));
        List<List<Integer>> alone = new ArrayList<>();
        for (int[] prompt : prompts) {
            alone.add(trace(file, prompt, 24).tokens());
        }
        try (TextGenerator generator = runtime.open(file, 24)) {
            for (int n = 0; n < 2; n++) {
                List<GenerateResult> together = generator.generateTokens(prompts, greedy(), GenerateListener.NONE);
                for (int i = 0; i < prompts.size(); i++) {
                    assertEquals(alone.get(i), together.get(i).tokens(), "round " + n + ", prompt " + i);
                }
                assertEquals(alone.get(1), alone(generator, prompts.get(1)));
                round.accept(generator);
            }
        }
    }

    /** A file that can't be opened is refused in one sentence with these words, and leaves no memory behind. */
    void refused(ModelFile file, String words, ErrorCode... codes) {
        Path path = file.write(directory.resolve("refused.gguf"));
        long blocks = runtime.backend().memoryUse().blocks();
        VtException e = assertThrows(VtException.class, () -> runtime.open(path).close());
        assertTrue(e.getMessage().contains(words), e.getMessage());
        assertTrue(Set.of(codes).contains(e.code()), e.code() + " " + e.getMessage());
        assertEquals(blocks, runtime.backend().memoryUse().blocks());
    }
}
