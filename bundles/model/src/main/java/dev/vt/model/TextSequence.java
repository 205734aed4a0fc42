package dev.vt.model;

import dev.vt.model.tokenizer.TokenStream;
import dev.vt.model.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One prompt and what has been generated for it, with its part of the cache. Owned by a generation, which closes it;
 * closing gives the cache blocks back. One thread at a time.
 */
final class TextSequence implements AutoCloseable {
    private final int index;
    private final int[] prompt;
    private final int limit;
    private final KvSequence cache;
    private final Tokenizer tokenizer;
    private final boolean ignoreEnd;
    private final TokenStream stream;
    private final StringBuilder text = new StringBuilder();
    private int[] generated;
    private int generatedCount;
    private int promptDone;
    private boolean finished;
    private boolean ended;

    /**
     * Makes a sequence that nothing was done for.
     *
     * @param index which of the prompts of the batch
     * @param limit tokens to generate at most, 1 or more
     * @param ignoreEnd go on after the end-of-text token
     */
    TextSequence(int index, int[] prompt, int limit, KvSequence cache, Tokenizer tokenizer, boolean ignoreEnd) {
        this.index = index;
        this.prompt = prompt;
        this.limit = limit;
        this.cache = cache;
        this.tokenizer = tokenizer;
        this.ignoreEnd = ignoreEnd;
        this.stream = tokenizer.stream();
        this.generated = new int[Math.min(limit, 64)];
    }

    int index() {
        return index;
    }

    int[] prompt() {
        return prompt;
    }

    int generatedCount() {
        return generatedCount;
    }

    int generated(int i) {
        return generated[i];
    }

    int lastGenerated() {
        return generated[generatedCount - 1];
    }

    /** How often a token was generated. */
    int count(int token) {
        int n = 0;
        for (int i = 0; i < generatedCount; i++) {
            if (generated[i] == token) {
                n++;
            }
        }
        return n;
    }

    /** Prompt tokens that have not been through the decoder. */
    int promptLeft() {
        return prompt.length - promptDone;
    }

    /** True when nothing more will be generated. */
    boolean finished() {
        return finished;
    }

    /** True when the model ended the text. */
    boolean ended() {
        return ended;
    }

    /** Puts the next tokens of the prompt into a step. */
    void feedPrompt(StepInputs inputs, int count, long seed) {
        inputs.add(cache, prompt, promptDone, count);
        promptDone += count;
        if (promptLeft() == 0) {
            inputs.wantLogits(Sampler.seed(seed, cache.length()));
        }
    }

    /** Puts the token that was generated last into a step. */
    void feedLast(StepInputs inputs, long seed) {
        inputs.add(cache, generated, generatedCount - 1, 1);
        inputs.wantLogits(Sampler.seed(seed, cache.length()));
    }

    /** Puts the token that the device chose last for the same row into a step; the host need not know it yet. */
    void feedChosen(StepInputs inputs, long seed) {
        inputs.addChosen(cache);
        inputs.wantLogits(Sampler.seed(seed, cache.length()));
    }

    /** True when another token may follow the one that is being chosen. */
    boolean goesOn() {
        return !finished && generatedCount + 1 < limit;
    }

    /** Takes the token that a step chose, and says what text it completes. */
    String accept(int token) {
        if (generatedCount == generated.length) {
            generated = Arrays.copyOf(generated, Math.min(limit, 2 * generatedCount));
        }
        generated[generatedCount++] = token;
        ended = !ignoreEnd && tokenizer.isEnd(token);
        finished = ended || generatedCount == limit;
        String piece = ended ? "" : stream.next(token);
        if (finished) {
            piece += stream.finish();
            close();
        }
        text.append(piece);
        return piece;
    }

    String text() {
        return text.toString();
    }

    List<Integer> promptTokens() {
        return boxed(prompt, prompt.length);
    }

    List<Integer> tokens() {
        return boxed(generated, generatedCount);
    }

    private static List<Integer> boxed(int[] ids, int count) {
        List<Integer> out = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            out.add(ids[i]);
        }
        return out;
    }

    @Override
    public void close() {
        cache.close();
    }
}
