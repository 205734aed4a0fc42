package dev.vt.ops.fusion;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.FusedStep.Form;

/** Turns a bound recipe into calls of ops. No state, any thread. */
final class Steps {
    private Steps() {}

    /** All steps, each as its op. */
    static void composite(Ops ops, Queue queue, FusedCall c) {
        for (int i = 0; i < c.recipe().steps().size(); i++) {
            step(ops, queue, c, c.recipe().steps().get(i));
        }
    }

    private static void step(Ops ops, Queue queue, FusedCall c, FusedStep s) {
        int out = s.outputs().getFirst();
        int a = s.inputs().getFirst();
        int b = s.inputs().getLast();
        switch (s.code()) {
            case ADD -> ops.add(queue, c.tensor(out), c.tensor(a), c.tensor(b));
            case RMS_NORM -> {
                boolean gemma = s.form() == Form.GEMMA || (s.form() == Form.CHOSEN && c.gemma());
                ops.rmsNorm(queue, c.rows(out), c.rows(a), c.tensor(weight(s)), null, c.eps(), gemma);
            }
            case GATED_RMS_NORM ->
                ops.rmsNormGated(
                        queue, c.tensor(out), c.tensor(a), c.tensor(b), c.tensor(weight(s)), c.eps(), c.sigmoid());
            case SILU_MUL -> ops.moeSiluMul(queue, c.tensor(out), c.tensor(a), c.tensor(b));
            case SIGMOID_GATE -> ops.sigmoidGateBf16(queue, c.tensor(out), c.tensor(a), c.tensor(b));
            case QUANT_FP8 -> ops.quantFp8Static(queue, c.rows(out), c.rows(a), c.scale());
            case QUANT_FP4 ->
                ops.scaledFp4Quant(
                        queue,
                        c.tensor(out),
                        c.tensor(s.outputs().getLast()),
                        c.tensor(a),
                        c.globalScale(),
                        c.layout());
            case ROPE ->
                ops.ropeFromCache(
                        queue,
                        c.tensor(out),
                        c.tensor(s.outputs().getLast()),
                        c.tensor(a),
                        c.tensor(b),
                        c.interleaved());
            case QK_NORM_ROPE_GATE -> qkNormRopeGate(ops, queue, c, s);
            default -> throw new IllegalStateException(c.recipe() + ": no op does " + s.code() + " alone");
        }
    }

    private static int weight(FusedStep s) {
        return s.weights().getFirst();
    }

    private static void qkNormRopeGate(Ops ops, Queue queue, FusedCall c, FusedStep s) {
        ops.attnQkNormRopeGate(
                queue,
                c.tensor(s.outputs().get(0)),
                c.tensor(s.outputs().get(1)),
                c.tensor(s.outputs().get(2)),
                c.tensor(s.inputs().get(0)),
                c.tensor(s.inputs().get(1)),
                c.tensor(s.weights().get(0)),
                c.tensor(s.weights().get(1)),
                c.tensor(s.inputs().get(2)),
                c.eps());
    }

    /** The recipe's own op. Slots are numbered as {@link Recipes} does. */
    static void bespoke(Ops ops, Queue queue, FusedCall c, Op<?> fastOp) {
        if (fastOp == OpTable.RMS_NORM_QUANT_FP8) {
            ops.rmsNormQuantFp8(
                    queue, c.tensor(3), null, c.tensor(0), c.tensor(1), null, c.eps(), c.gemma(), c.scale());
        } else if (fastOp == OpTable.RMS_NORM_GATED_QUANT_FP8) {
            ops.rmsNormGatedQuantFp8(
                    queue, c.tensor(4), c.tensor(0), c.tensor(1), c.tensor(2), c.eps(), c.sigmoid(), c.scale());
        } else if (fastOp == OpTable.SILU_MUL_FP4_QUANT) {
            ops.siluMulFp4Quant(queue, c.tensor(3), c.tensor(4), c.tensor(0), c.tensor(1), c.globalScale(), c.layout());
        } else {
            ops.sigmoidGateFp4Quant(
                    queue, c.tensor(3), c.tensor(4), c.tensor(0), c.tensor(1), c.globalScale(), c.layout());
        }
    }
}
