package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Contracts of the ops that turn logits into tokens. */
final class SamplerChecks {
    private SamplerChecks() {}

    static void greedyArgmax(Queue queue, Tensor tokenIds, Tensor logits) {
        Op<?> op = OpTable.GREEDY_ARGMAX;
        Device device = Check.device(op, queue);
        Check.dense(op, "logits", logits, device, 2);
        Check.floats(op, "logits", logits);
        Check.rowsNotEmpty(op, "logits", logits);
        tokenIds(op, tokenIds, "logits", logits, "dimension 0 of logits", device);
    }

    static void randomSample(Queue queue, Tensor tokenIds, Tensor probs, Tensor seeds) {
        Op<?> op = OpTable.RANDOM_SAMPLE;
        Device device = Check.device(op, queue);
        Check.dense(op, "probs", probs, device, 2);
        Check.dtype(op, "probs", probs, DType.F32);
        Check.rowsNotEmpty(op, "probs", probs);
        tokenIds(op, tokenIds, "probs", probs, "dimension 0 of probs", device);
        Check.dense(op, "seeds", seeds, device, 1);
        Check.dtype(op, "seeds", seeds, DType.I64);
        Check.dim(op, "seeds", seeds, 0, probs.dim(0), "dimension 0 of probs");
        Check.apart(op, "tokenIds", tokenIds, "seeds", seeds);
    }

    private static void tokenIds(Op<?> op, Tensor tokenIds, String name, Tensor rows, String why, Device device) {
        Check.dense(op, "tokenIds", tokenIds, device, 1);
        Check.dtype(op, "tokenIds", tokenIds, DType.I64);
        Check.dim(op, "tokenIds", tokenIds, 0, rows.dim(0), why);
        Check.apart(op, "tokenIds", tokenIds, name, rows);
    }

    /** {@code compute_probs} and {@code compute_logprobs}. */
    static void softmax(Op<?> op, Queue queue, Tensor out, Tensor x) {
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dense(op, "x", x, device, 2);
        Check.dtype(op, "out", out, DType.F32);
        Check.dtype(op, "x", x, DType.F32);
        Check.sameShape(op, "out", out, "x", x);
        Check.apart(op, "out", out, "x", x);
    }

    static void temperature(Queue queue, Tensor logits, Tensor temperature) {
        Op<?> op = OpTable.APPLY_TEMPERATURE;
        Device device = logits(op, queue, logits);
        perRow(op, "temperature", temperature, DType.F32, logits, device);
    }

    static void minP(Queue queue, Tensor logits, Tensor minP) {
        Op<?> op = OpTable.APPLY_MIN_P;
        Device device = logits(op, queue, logits);
        perRow(op, "minP", minP, DType.F32, logits, device);
    }

    static void topKTopP(Queue queue, Tensor logits, @Nullable Tensor k, @Nullable Tensor p) {
        Op<?> op = OpTable.APPLY_TOP_K_TOP_P;
        Device device = logits(op, queue, logits);
        if (k != null) {
            perRow(op, "k", k, DType.I32, logits, device);
        }
        if (p != null) {
            perRow(op, "p", p, DType.F32, logits, device);
        }
    }

    static void penalties(
            Queue queue,
            Tensor logits,
            Tensor promptMask,
            Tensor outputMask,
            Tensor counts,
            Tensor repetition,
            Tensor frequency,
            Tensor presence) {
        Op<?> op = OpTable.APPLY_PENALTIES;
        Device device = logits(op, queue, logits);
        perToken(op, "promptMask", promptMask, DType.I8, logits, device);
        perToken(op, "outputMask", outputMask, DType.I8, logits, device);
        perToken(op, "counts", counts, DType.I32, logits, device);
        perRow(op, "repetition", repetition, DType.F32, logits, device);
        perRow(op, "frequency", frequency, DType.F32, logits, device);
        perRow(op, "presence", presence, DType.F32, logits, device);
    }

    static void logitBias(Queue queue, Tensor logits, Tensor rows, Tensor cols, Tensor bias) {
        Op<?> op = OpTable.APPLY_LOGIT_BIAS;
        Device device = logits(op, queue, logits);
        places(op, logits, rows, cols, device);
        Check.dense(op, "bias", bias, device, 1);
        Check.dtype(op, "bias", bias, DType.F32);
        Check.dim(op, "bias", bias, 0, rows.dim(0), "dimension 0 of rows");
        Check.apart(op, "logits", logits, "bias", bias);
    }

    static void tokenMask(Queue queue, Tensor logits, Tensor rows, Tensor cols) {
        Op<?> op = OpTable.APPLY_TOKEN_MASK;
        places(op, logits, rows, cols, logits(op, queue, logits));
    }

    static void allowedTokenIds(Queue queue, Tensor logits, Tensor mask) {
        Op<?> op = OpTable.APPLY_ALLOWED_TOKEN_IDS;
        perToken(op, "mask", mask, DType.I8, logits, logits(op, queue, logits));
    }

    static void greedyRejection(Queue queue, Tensor sampled, Tensor num, Tensor logits, Tensor draft, Tensor cu) {
        Op<?> op = OpTable.GREEDY_REJECTION_SAMPLE;
        Device device = logits(op, queue, logits);
        Check.rowsNotEmpty(op, "logits", logits);
        Check.dense(op, "sampled", sampled, device, 2);
        Check.dtype(op, "sampled", sampled, DType.I32);
        Check.dense(op, "num", num, device, 1);
        Check.dtype(op, "num", num, DType.I32);
        Check.dim(op, "num", num, 0, sampled.dim(0), "dimension 0 of sampled");
        Check.dense(op, "draft", draft, device, 1);
        Check.dtype(op, "draft", draft, DType.I32);
        Check.dim(op, "draft", draft, 0, logits.dim(0), "dimension 0 of logits");
        Check.dense(op, "cu", cu, device, 1);
        Check.dtype(op, "cu", cu, DType.I32);
        Check.dim(op, "cu", cu, 0, sampled.dim(0) + 1, "dimension 0 of sampled and 1");
        Check.apart(op, "sampled", sampled, "num", num);
        apartFromInputs(op, "sampled", sampled, logits, draft, cu);
        apartFromInputs(op, "num", num, logits, draft, cu);
    }

    private static void apartFromInputs(
            Op<?> op, String argument, Tensor written, Tensor logits, Tensor draft, Tensor cu) {
        Check.apart(op, argument, written, "logits", logits);
        Check.apart(op, argument, written, "draft", draft);
        Check.apart(op, argument, written, "cu", cu);
    }

    /** Elements of the logits, named by row and column. */
    private static void places(Op<?> op, Tensor logits, Tensor rows, Tensor cols, Device device) {
        Check.dense(op, "rows", rows, device, 1);
        Check.dtype(op, "rows", rows, DType.I32);
        Check.dense(op, "cols", cols, device, 1);
        Check.dtype(op, "cols", cols, DType.I32);
        Check.dim(op, "cols", cols, 0, rows.dim(0), "dimension 0 of rows");
        Check.apart(op, "logits", logits, "rows", rows);
        Check.apart(op, "logits", logits, "cols", cols);
    }

    private static Device logits(Op<?> op, Queue queue, Tensor logits) {
        Device device = Check.device(op, queue);
        Check.dense(op, "logits", logits, device, 2);
        Check.dtype(op, "logits", logits, DType.F32);
        return device;
    }

    private static void perRow(Op<?> op, String argument, Tensor t, DType dtype, Tensor logits, Device device) {
        Check.dense(op, argument, t, device, 1);
        Check.dtype(op, argument, t, dtype);
        Check.dim(op, argument, t, 0, logits.dim(0), "dimension 0 of logits");
        Check.apart(op, "logits", logits, argument, t);
    }

    private static void perToken(Op<?> op, String argument, Tensor t, DType dtype, Tensor logits, Device device) {
        Check.dense(op, argument, t, device, 2);
        Check.dtype(op, argument, t, dtype);
        Check.sameShape(op, argument, t, "logits", logits);
        Check.apart(op, "logits", logits, argument, t);
    }
}
