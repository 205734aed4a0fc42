package dev.vt.model;

import java.util.List;
import java.util.Map;

/**
 * What came out of a generation. Of several prompts that were decoded together each has a result of its own; rates and
 * counts are then those of all together.
 *
 * @param text the generated text, without the prompt
 * @param promptTokens the prompt's token ids
 * @param tokens the generated token ids; the last one is the end token where the model ended the text
 * @param ended true when the model ended the text itself; false when the wanted number of tokens was reached or the
 *     context is full
 * @param promptTokensPerSecond rate of prompt processing, in which the first token is chosen
 * @param tokensPerSecond rate of the tokens after the first; 0 where there is none
 * @param served calls on this device that each provider served during this generation, by name
 * @param calls op calls that the generation made; the sum over {@code served} where nobody else used the device
 * @param declines declines during this generation
 * @param referenceHits calls that a borrowed CPU kernel served
 * @param graph how many decode steps were replays of graphs, or why none was; calls inside of a replay are not counted
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
        long referenceHits,
        String graph) {
    public GenerateResult {
        promptTokens = List.copyOf(promptTokens);
        tokens = List.copyOf(tokens);
        served = Map.copyOf(served);
    }
}
