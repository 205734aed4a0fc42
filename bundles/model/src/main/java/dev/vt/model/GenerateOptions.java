package dev.vt.model;

import dev.vt.api.VtException;

/**
 * How text is generated.
 *
 * @param tokens how many tokens at most
 * @param temperature 0 (or less than 0.00001) for greedy decoding
 * @param topK keep the k likeliest tokens; 0 for all
 * @param topP keep the likeliest tokens up to this probability; 1 for all
 * @param minP drop tokens below this part of the likeliest one's probability; 0 for none
 * @param repetitionPenalty 1 for none
 * @param frequencyPenalty 0 for none
 * @param presencePenalty 0 for none
 * @param seed what makes sampling repeatable
 * @param ignoreEnd go on after the end-of-text token
 */
public record GenerateOptions(
        int tokens,
        double temperature,
        int topK,
        double topP,
        double minP,
        double repetitionPenalty,
        double frequencyPenalty,
        double presencePenalty,
        long seed,
        boolean ignoreEnd) {
    public GenerateOptions {
        check(tokens >= 1, "tokens", "1 or more", tokens);
        check(temperature >= 0 && Double.isFinite(temperature), "temp", "0 or more", temperature);
        check(topK >= 0, "top-k", "0 or more", topK);
        check(topP > 0 && topP <= 1, "top-p", "above 0 and up to 1", topP);
        check(minP >= 0 && minP <= 1, "min-p", "0 to 1", minP);
        check(
                repetitionPenalty > 0 && Double.isFinite(repetitionPenalty),
                "repeat-penalty",
                "above 0",
                repetitionPenalty);
        check(Double.isFinite(frequencyPenalty), "frequency-penalty", "a finite number", frequencyPenalty);
        check(Double.isFinite(presencePenalty), "presence-penalty", "a finite number", presencePenalty);
    }

    /** Greedy decoding. */
    public static GenerateOptions greedy(int tokens) {
        return new GenerateOptions(tokens, 0, 0, 1, 0, 1, 0, 0, 0, false);
    }

    private static void check(boolean ok, String what, String expected, Object given) {
        if (!ok) {
            throw VtException.invalidArgument("generate: " + what + ": expected " + expected + ", given " + given);
        }
    }
}
