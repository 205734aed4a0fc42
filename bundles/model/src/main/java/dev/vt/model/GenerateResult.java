package dev.vt.model;

import java.util.List;
import java.util.Map;

/**
 * What came out of a generation.
 *
 * @param text the generated text, without the prompt
 * @param promptTokens the prompt's token ids
 * @param tokens the generated token ids
 * @param ended true when the model ended the text itself
 * @param promptTokensPerSecond rate of prompt processing
 * @param tokensPerSecond rate of generation
 * @param served calls served by each provider during this generation, by name
 * @param calls calls made
 * @param declines declines during this generation
 * @param referenceHits calls that a borrowed CPU kernel served
 */
public record GenerateResult(
        String text,
        List<Integer> promptTokens,
        List<Integer> tokens,
        boolean ended,
        double promptTokensPerSecond,
        double tokensPerSecond,
        Map<String, Long> served,
        long calls,
        long declines,
        long referenceHits) {
    public GenerateResult {
        promptTokens = List.copyOf(promptTokens);
        tokens = List.copyOf(tokens);
        served = Map.copyOf(served);
    }
}
