package dev.vt.conformance;

import java.util.List;
import java.util.Map;

/**
 * What the kit found out about one op of one provider on one device.
 *
 * @param op the op's name
 * @param cases how many calls were made
 * @param served how many of them the kernel served
 * @param failed how many calls went wrong
 * @param failures the first of the calls that went wrong
 * @param declines how often the kernel declined, by reason
 * @param worst the largest error of the right calls, the distance from the reference over the sum of the sizes of the terms, by the dtype of
 *     the case; "f32 to bf16" where the output is stored in another float type
 * @param seconds wall time
 */
public record OpResult(
        String op,
        int cases,
        int served,
        int failed,
        List<Failure> failures,
        Map<String, Long> declines,
        Map<String, Double> worst,
        double seconds) {
    /**
     * A call that went wrong.
     *
     * @param op the op's name
     * @param call sizes, dtype and what was special
     * @param error what was expected and what came
     */
    public record Failure(String op, String call, String error) {
        @Override
        public String toString() {
            return op + " " + call + ": " + error;
        }
    }

    /** True when every call was right or declined. */
    public boolean passed() {
        return failed == 0;
    }
}
