package dev.vt.ops.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;

/**
 * Kernel of {@code greedy_rejection_sample}: which tokens of a speculative step stand. Request r owns rows cu[r] to cu[r+1] of
 * logits[L,V] (f32); draft[L] is the token that each row was computed from, so those after a request's first row are its drafts.
 * The argmax of a row is taken, and the next row counts only if its draft is that token. sampled[R,max] (i32) gets the tokens taken,
 * then -1; num[R] (i32) how many they are. Argmax is that of {@code greedy_argmax}. Source: Leviathan, Kalman and Matias, Fast
 * Inference from Transformers via Speculative Decoding, 2023, at temperature 0.
 */
@FunctionalInterface
public interface GreedyRejectionSample {
    Outcome run(Queue queue, Tensor sampled, Tensor num, Tensor logits, Tensor draft, Tensor cu);
}
