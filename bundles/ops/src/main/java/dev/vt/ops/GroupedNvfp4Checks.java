package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Contracts of the products of a mixture of experts with nvfp4 weights. */
final class GroupedNvfp4Checks {
    private static final int MARLIN_COLS = 64;

    private GroupedNvfp4Checks() {}

    static void grouped(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor expertIds,
            @Nullable Tensor rowMap,
            Tensor packed,
            Tensor scales,
            Tensor scale2) {
        Op<?> op = OpTable.MOE_GROUPED_GEMM_NVFP4;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.outFloats(op, "out", out);
        Check.dense(op, "act", act, device, 2);
        Check.floats(op, "act", act);
        ScaleChecks.multiple(op, "act", act, 1, ScaleChecks.GROUP);
        vector(op, "expertIds", expertIds, DType.I32, out, device);
        Check.dim(op, "expertIds", expertIds, 0, out.dim(0), "dimension 0 of out");
        if (rowMap == null) {
            Check.dim(op, "act", act, 0, out.dim(0), "dimension 0 of out, since there is no rowMap");
        } else {
            vector(op, "rowMap", rowMap, DType.I32, out, device);
            Check.dim(op, "rowMap", rowMap, 0, out.dim(0), "dimension 0 of out");
        }
        vector(op, "packed", packed, DType.I64, out, device);
        vector(op, "scales", scales, DType.I64, out, device);
        vector(op, "scale2", scale2, DType.F32, out, device);
        Check.dim(op, "scales", scales, 0, packed.dim(0), "dimension 0 of packed");
        Check.dim(op, "scale2", scale2, 0, packed.dim(0), "dimension 0 of packed");
        Check.apart(op, "out", out, "act", act);
    }

    /** A vector of one dtype that the output is apart from. */
    private static void vector(Op<?> op, String argument, Tensor t, DType dtype, Tensor out, Device device) {
        Check.dense(op, argument, t, device, 1);
        Check.dtype(op, argument, t, dtype);
        Check.apart(op, "out", out, argument, t);
    }

    static void marlin(
            Queue queue,
            Tensor out,
            Tensor act,
            Tensor packed,
            Tensor scale,
            Tensor scale2,
            Tensor sortedTokenIds,
            Tensor expertIds,
            Tensor numTokensPostPadded,
            @Nullable Tensor topkWeights,
            Tensor workspace,
            int blockSize,
            int topK) {
        Op<?> op = OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN;
        Device device = Check.device(op, queue);
        above0(op, "blockSize", blockSize);
        above0(op, "topK", topK);
        activations(op, out, act, topK, device);
        weights(op, out, act, packed, scale, scale2, device);
        vector(op, "sortedTokenIds", sortedTokenIds, DType.I32, out, device);
        vector(op, "expertIds", expertIds, DType.I32, out, device);
        Check.dim(
                op,
                "sortedTokenIds",
                sortedTokenIds,
                0,
                Math.multiplyExact(expertIds.dim(0), (long) blockSize),
                "blockSize for each of expertIds");
        vector(op, "numTokensPostPadded", numTokensPostPadded, DType.I32, out, device);
        Check.dim(op, "numTokensPostPadded", numTokensPostPadded, 0, 1, "one number");
        if (topkWeights != null) {
            Check.dense(op, "topkWeights", topkWeights, device, 2);
            Check.dtype(op, "topkWeights", topkWeights, DType.F32);
            Check.dim(op, "topkWeights", topkWeights, 0, act.dim(0), "dimension 0 of act");
            Check.dim(op, "topkWeights", topkWeights, 1, topK, "topK");
            Check.apart(op, "out", out, "topkWeights", topkWeights);
        }
        workspace(op, workspace, out, act, packed, scale, scale2, device);
        Check.apart(op, "workspace", workspace, "sortedTokenIds", sortedTokenIds);
        Check.apart(op, "workspace", workspace, "expertIds", expertIds);
        Check.apart(op, "workspace", workspace, "numTokensPostPadded", numTokensPostPadded);
        if (topkWeights != null) {
            Check.apart(op, "workspace", workspace, "topkWeights", topkWeights);
        }
    }

    private static void above0(Op<?> op, String argument, int value) {
        if (value < 1) {
            throw Faults.of(op, argument, "a number above 0", "" + value);
        }
    }

    private static void activations(Op<?> op, Tensor out, Tensor act, int topK, Device device) {
        Check.dense(op, "out", out, device, 2);
        Check.dtype(op, "out", out, DType.BF16);
        Check.dense(op, "act", act, device, 2);
        Check.dtype(op, "act", act, DType.BF16);
        ScaleChecks.multiple(op, "act", act, 1, ScaleChecks.GROUP);
        ScaleChecks.multiple(op, "out", out, 1, MARLIN_COLS);
        Check.dim(op, "out", out, 0, Math.multiplyExact(act.dim(0), (long) topK), "topK for each row of act");
        Check.apart(op, "out", out, "act", act);
    }

    private static void weights(
            Op<?> op, Tensor out, Tensor act, Tensor packed, Tensor scale, Tensor scale2, Device device) {
        Check.dense(op, "packed", packed, device, 3);
        Check.dtype(op, "packed", packed, DType.I32);
        Check.dim(op, "packed", packed, 1, act.dim(1) / ScaleChecks.GROUP, "a 16th of dimension 1 of act");
        Check.dim(op, "packed", packed, 2, 2 * out.dim(1), "twice dimension 1 of out");
        Check.dense(op, "scale", scale, device, 3);
        Check.dtype(op, "scale", scale, DType.I8);
        Check.dim(op, "scale", scale, 0, packed.dim(0), "dimension 0 of packed");
        Check.dim(op, "scale", scale, 1, packed.dim(1), "dimension 1 of packed");
        Check.dim(op, "scale", scale, 2, out.dim(1), "dimension 1 of out");
        vector(op, "scale2", scale2, DType.F32, out, device);
        Check.dim(op, "scale2", scale2, 0, packed.dim(0), "dimension 0 of packed");
        Check.apart(op, "out", out, "packed", packed);
        Check.apart(op, "out", out, "scale", scale);
    }

    private static void workspace(
            Op<?> op,
            Tensor workspace,
            Tensor out,
            Tensor act,
            Tensor packed,
            Tensor scale,
            Tensor scale2,
            Device device) {
        vector(op, "workspace", workspace, DType.I32, out, device);
        if (workspace.dim(0) == 0) {
            throw Faults.notEmpty(op, "workspace", workspace, 0);
        }
        Check.apart(op, "workspace", workspace, "act", act);
        Check.apart(op, "workspace", workspace, "packed", packed);
        Check.apart(op, "workspace", workspace, "scale", scale);
        Check.apart(op, "workspace", workspace, "scale2", scale2);
    }
}
