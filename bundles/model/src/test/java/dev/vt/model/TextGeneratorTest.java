package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.spi.OpProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Generation on a tiny random model: batches, chunks, cache, sampling, statistics, bad input. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TextGeneratorTest {
    private static final int CONTEXT = 96;

    @TempDir
    private static Path directory;

    private TestRuntime runtime;
    private Path model;

    @BeforeAll
    void start() {
        runtime = new TestRuntime();
        model = TinyModel.of("llama").context(CONTEXT).build().write(directory);
    }

    @AfterAll
    void stop() {
        runtime.close();
    }

    private static GenerateOptions options(int tokens, double temperature, long seed) {
        return new GenerateOptions(tokens, temperature, 0, 1, 0, 1, 0, 0, seed, true);
    }

    private static GenerateOptions everything(int tokens, long seed) {
        return new GenerateOptions(tokens, 0.9, 40, 0.95, 0.01, 1.2, 0.3, 0.2, seed, true);
    }

    private static List<int[]> prompts() {
        List<int[]> out = new ArrayList<>();
        for (int length : new int[] {1, 17, 40, 5}) {
            out.add(DecoderLogitsTest.prompt(length, 267));
        }
        return out;
    }

    @Test
    @DisplayName("several prompts of unequal length get together what each gets alone, greedily")
    void batchGreedy() {
        batchEqualsAlone(options(30, 0, 0));
    }

    @Test
    @DisplayName("several prompts of unequal length get together what each gets alone, sampled with all options")
    void batchSampled() {
        batchEqualsAlone(everything(30, 11));
    }

    private void batchEqualsAlone(GenerateOptions options) {
        try (TextGenerator together = runtime.open(model, 24);
                TextGenerator alone = runtime.open(model, 24)) {
            List<GenerateResult> batch = together.generateTokens(prompts(), options, GenerateListener.NONE);
            for (int i = 0; i < batch.size(); i++) {
                GenerateResult one = alone.generateTokens(List.of(prompts().get(i)), options, GenerateListener.NONE)
                        .getFirst();
                assertEquals(one.tokens(), batch.get(i).tokens(), "prompt " + i);
                assertEquals(one.text(), batch.get(i).text());
            }
            KvCache cache = together.workspace().cache();
            assertEquals(cache.blocks(), cache.freeBlocks());
        }
    }

    @Test
    @DisplayName("sequences of a batch that end apart leave the others as they were")
    void unequalEnds() {
        GenerateOptions options = new GenerateOptions(40, 1.5, 0, 1, 0, 1.1, 0, 0, 5, false);
        List<int[]> prompts = new ArrayList<>();
        prompts.add(DecoderLogitsTest.prompt(CONTEXT, 267));
        prompts.add(DecoderLogitsTest.prompt(CONTEXT - 9, 267));
        prompts.addAll(prompts());
        try (TextGenerator generator = runtime.open(model)) {
            List<GenerateResult> batch = generator.generateTokens(prompts, options, GenerateListener.NONE);
            assertEquals(1, batch.get(0).tokens().size());
            assertEquals(10, batch.get(1).tokens().size());
            for (int i = 0; i < prompts.size(); i++) {
                assertEquals(
                        generator
                                .generateTokens(List.of(prompts.get(i)), options, GenerateListener.NONE)
                                .getFirst()
                                .tokens(),
                        batch.get(i).tokens());
            }
        }
    }

    @Test
    @DisplayName("a prompt in pieces gives what it gives at once, with progress told")
    void chunks() {
        int[] prompt = DecoderLogitsTest.prompt(50, 267);
        List<Integer> expected = null;
        for (int chunk : new int[] {128, 50, 49, 16, 7, 1}) {
            List<Integer> progress = new ArrayList<>();
            try (TextGenerator generator = runtime.open(model, chunk)) {
                GenerateResult result = generator
                        .generateTokens(List.of(prompt), options(25, 0, 0), new GenerateListener() {
                            @Override
                            public void prompt(int done, int total) {
                                assertEquals(50, total);
                                progress.add(done);
                            }
                        })
                        .getFirst();
                if (expected == null) {
                    expected = result.tokens();
                }
                assertEquals(expected, result.tokens(), "chunk " + chunk);
                assertEquals(Math.ceilDiv(50, chunk), progress.size());
                assertEquals(50, progress.getLast());
            }
        }
    }

    @Test
    @DisplayName("sampling repeats with its seed and differs with another")
    void seeds() {
        try (TextGenerator generator = runtime.open(model)) {
            List<Integer> first = sample(generator, options(40, 1, 3));
            assertEquals(first, sample(generator, options(40, 1, 3)));
            assertNotEquals(first, sample(generator, options(40, 1, 4)));
            assertEquals(sample(generator, everything(40, 3)), sample(generator, everything(40, 3)));
        }
    }

    private static List<Integer> sample(TextGenerator generator, GenerateOptions options) {
        return generator
                .generateTokens(List.of(DecoderLogitsTest.prompt(9, 267)), options, GenerateListener.NONE)
                .getFirst()
                .tokens();
    }

    @Test
    @DisplayName("top-k of 1 is greedy, whatever the temperature, and so is a temperature next to 0")
    void topOne() {
        try (TextGenerator generator = runtime.open(model)) {
            List<Integer> greedy = sample(generator, options(30, 0, 0));
            assertEquals(greedy, sample(generator, new GenerateOptions(30, 2, 1, 1, 0, 1, 0, 0, 9, true)));
            assertEquals(greedy, sample(generator, options(30, Double.MIN_VALUE, 9)));
            assertEquals(greedy, sample(generator, options(30, 1e-4, 9)));
        }
    }

    @Test
    @DisplayName("a strong penalty keeps tokens from coming twice, also those of the prompt")
    void penalties() {
        try (TextGenerator generator = runtime.open(model)) {
            List<Integer> plain = sample(generator, options(60, 0, 0));
            assertTrue(plain.stream().distinct().count() < 60, "the model repeats itself without a penalty");
            GenerateOptions strict = new GenerateOptions(60, 0, 0, 1, 0, 1, 0, 1000, 0, true);
            assertEquals(60, sample(generator, strict).stream().distinct().count());
            GenerateOptions repetition = new GenerateOptions(60, 0, 0, 1, 0, 1e6, 0, 0, 0, true);
            List<Integer> unrepeated = sample(generator, repetition);
            for (int token : DecoderLogitsTest.prompt(9, 267)) {
                assertFalse(unrepeated.contains(token), "token " + token + " of the prompt");
            }
        }
    }

    @Test
    @DisplayName("generation stops where the context is full, without an error")
    void fullContext() {
        try (TextGenerator generator = runtime.open(model)) {
            GenerateResult result = generator
                    .generateTokens(
                            List.of(DecoderLogitsTest.prompt(CONTEXT - 10, 267)),
                            options(500, 0, 0),
                            GenerateListener.NONE)
                    .getFirst();
            assertEquals(11, result.tokens().size());
            assertFalse(result.ended());
            result = generator
                    .generateTokens(
                            List.of(DecoderLogitsTest.prompt(CONTEXT, 267)), options(500, 0, 0), GenerateListener.NONE)
                    .getFirst();
            assertEquals(1, result.tokens().size());
        }
    }

    @Test
    @DisplayName("the end token ends the text, is the last of the tokens and has no text")
    void end() {
        try (TextGenerator generator = runtime.open(model)) {
            for (long seed = 0; seed < 50; seed++) {
                GenerateOptions options = new GenerateOptions(80, 3, 0, 1, 0, 1, 0, 0, seed, false);
                List<Integer> told = new ArrayList<>();
                StringBuilder text = new StringBuilder();
                GenerateResult result = generator
                        .generateTokens(List.of(new int[] {5}), options, new GenerateListener() {
                            @Override
                            public void token(int sequence, int id, String piece) {
                                told.add(id);
                                text.append(piece);
                            }
                        })
                        .getFirst();
                assertEquals(result.tokens(), told);
                assertEquals(result.text(), text.toString());
                assertEquals(result.ended(), result.tokens().contains(2));
                if (result.ended()) {
                    assertEquals(2, result.tokens().getLast());
                    return;
                }
            }
        }
        throw new AssertionError("no draw ended a text");
    }

    @Test
    @DisplayName("calls served by the providers add up to the calls made; counting is off again afterwards")
    void statistics() {
        runtime.ops().countCalls(false);
        try (TextGenerator generator = runtime.open(model)) {
            GenerateResult result = generator
                    .generateTokens(prompts(), everything(12, 1), GenerateListener.NONE)
                    .getFirst();
            assertEquals(Map.of(OpProvider.NATIVE, result.calls()), result.served());
            assertTrue(result.calls() > 12 * 2 * 10);
            assertEquals(0, result.declines());
            assertEquals(0, result.referenceHits());
            assertFalse(runtime.ops().countsCalls());
            runtime.ops().countCalls(true);
            GenerateResult second = generator
                    .generateTokens(prompts(), everything(12, 1), GenerateListener.NONE)
                    .getFirst();
            assertEquals(Map.of(OpProvider.NATIVE, second.calls()), second.served());
            assertTrue(runtime.ops().countsCalls());
        } finally {
            runtime.ops().countCalls(false);
        }
    }

    @Test
    @DisplayName("a prompt of zero tokens is refused")
    void noTokens() {
        refused("generate: prompt 1: expected 1 token or more, given none", List.of(new int[] {1}, new int[0]));
        refused("generate: expected 1 prompt or more, given none", List.of());
    }

    @Test
    @DisplayName("a prompt longer than the context is refused with both numbers")
    void tooLong() {
        refused(
                "generate: prompt 0: expected at most 96 tokens, the context of the model, given 97",
                List.of(DecoderLogitsTest.prompt(CONTEXT + 1, 267)));
    }

    @Test
    @DisplayName("a token id outside the vocabulary is refused")
    void unknownToken() {
        refused("generate: prompt 0: expected token ids from 0 to 266, given 267", List.of(new int[] {1, 267}));
        refused("generate: prompt 0: expected token ids from 0 to 266, given -1", List.of(new int[] {-1}));
    }

    private void refused(String message, List<int[]> prompts) {
        try (TextGenerator generator = runtime.open(model)) {
            VtException e = assertThrows(
                    VtException.class,
                    () -> generator.generateTokens(prompts, options(1, 0, 0), GenerateListener.NONE));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertEquals(message, e.getMessage());
        }
    }

    @Test
    @DisplayName("a listener that throws ends the generation; the next one is unharmed and no block is lost")
    void listenerThrows() {
        try (TextGenerator generator = runtime.open(model)) {
            List<Integer> before = sample(generator, options(20, 0, 0));
            IllegalStateException thrown = new IllegalStateException("enough");
            GenerateListener listener = new GenerateListener() {
                @Override
                public void token(int sequence, int id, String text) {
                    if (sequence == 1) {
                        throw thrown;
                    }
                }
            };
            assertEquals(
                    thrown,
                    assertThrows(
                            IllegalStateException.class,
                            () -> generator.generateTokens(prompts(), options(20, 0, 0), listener)));
            assertEquals(
                    generator.workspace().cache().blocks(),
                    generator.workspace().cache().freeBlocks());
            assertEquals(before, sample(generator, options(20, 0, 0)));
        }
    }

    @Test
    @DisplayName("a provider that is switched off between two tokens is an error that names the op; the "
            + "generator works again after")
    void providerGone() {
        try (TextGenerator generator = runtime.open(model)) {
            List<Integer> before = sample(generator, options(20, 0, 0));
            GenerateListener listener = new GenerateListener() {
                @Override
                public void token(int sequence, int id, String text) {
                    runtime.ops().disable(OpProvider.NATIVE);
                }
            };
            try {
                VtException e = assertThrows(
                        VtException.class, () -> generator.generateTokens(prompts(), options(20, 0, 0), listener));
                assertEquals(ErrorCode.NO_KERNEL, e.code());
                assertTrue(e.getMessage().contains("embedding"), e.getMessage());
            } finally {
                runtime.ops().enable(OpProvider.NATIVE);
            }
            assertEquals(before, sample(generator, options(20, 0, 0)));
        }
    }

    @Test
    @DisplayName("a second generation at the same time and a use after close are refused; closing may be repeated")
    void misuse() {
        TextGenerator generator = runtime.open(model);
        List<VtException> inner = new ArrayList<>();
        generator.generate("a", options(1, 0, 0), new GenerateListener() {
            @Override
            public void token(int sequence, int id, String text) {
                inner.add(assertThrows(
                        VtException.class, () -> generator.generate("b", options(1, 0, 0), GenerateListener.NONE)));
                inner.add(assertThrows(VtException.class, generator::close));
            }
        });
        assertEquals(2, inner.size());
        generator.close();
        generator.close();
        VtException e =
                assertThrows(VtException.class, () -> generator.generate("a", options(1, 0, 0), GenerateListener.NONE));
        assertEquals(ErrorCode.CLOSED, e.code());
    }

    @Test
    @DisplayName("a closed generator leaves no memory and no queue behind")
    void leavesNothing() {
        long blocks = runtime.backend().memoryUse().blocks();
        long queues = runtime.backend().memoryUse().queues();
        try (TextGenerator generator = runtime.open(model)) {
            generator.generateTokens(prompts(), everything(3, 0), GenerateListener.NONE);
            generator.generateTokens(List.of(new int[] {4}), options(90, 0, 0), GenerateListener.NONE);
        }
        assertEquals(blocks, runtime.backend().memoryUse().blocks());
        assertEquals(queues, runtime.backend().memoryUse().queues());
    }
}
