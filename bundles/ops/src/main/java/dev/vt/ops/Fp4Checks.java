package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.ScaleLayout;
import org.jspecify.annotations.Nullable;

/** Contracts of the fp4 ops: quantisation, and products of whole matrices. */
final class Fp4Checks {
    /** Columns and rows that the tensor-core product takes at once. */
    private static final int CUTLASS = 32;

    private Fp4Checks() {}

    /** {@code scaled_fp4_quant}; {@code halves} is 2 for {@code silu_and_mul_fp4_quant}, whose input is twice as wide. */
    static void unary(
            Op<?> op,
            Queue queue,
            Tensor packed,
            Tensor scale,
            Tensor x,
            float globalScale,
            ScaleLayout layout,
            int halves) {
        Device device = Check.device(op, queue);
        Check.dense(op, "x", x, device, 2);
        Check.floats(op, "x", x);
        ScaleChecks.multiple(op, "x", x, 1, halves * ScaleChecks.GROUP);
        target(op, device, packed, scale, "x", x, x.dim(1) / halves, globalScale, layout);
        Check.apart(op, "packed", packed, "x", x);
        Check.apart(op, "scale", scale, "x", x);
    }

    static void siluMul(
            Queue queue, Tensor packed, Tensor scale, Tensor gate, Tensor up, float globalScale, ScaleLayout layout) {
        Op<?> op = OpTable.SILU_MUL_FP4_QUANT;
        Device device = Check.device(op, queue);
        Check.dense(op, "gate", gate, device, 2);
        Check.floats(op, "gate", gate);
        binary(op, device, packed, scale, "gate", gate, "up", up, globalScale, layout);
        Check.floats(op, "up", up);
    }

    static void sigmoidGate(
            Queue queue, Tensor packed, Tensor scale, Tensor attn, Tensor gate, float globalScale, ScaleLayout layout) {
        Op<?> op = OpTable.SIGMOID_GATE_FP4_QUANT;
        Device device = Check.device(op, queue);
        Check.dense(op, "attn", attn, device, 2);
        Check.outFloats(op, "attn", attn);
        binary(op, device, packed, scale, "attn", attn, "gate", gate, globalScale, layout);
        Check.dtype(op, "gate", gate, DType.F32);
    }

    private static void binary(
            Op<?> op,
            Device device,
            Tensor packed,
            Tensor scale,
            String nameOfA,
            Tensor a,
            String nameOfB,
            Tensor b,
            float globalScale,
            ScaleLayout layout) {
        Check.dense(op, nameOfB, b, device, 2);
        Check.sameShape(op, nameOfB, b, nameOfA, a);
        ScaleChecks.multiple(op, nameOfA, a, 1, ScaleChecks.GROUP);
        target(op, device, packed, scale, nameOfA, a, a.dim(1), globalScale, layout);
        Check.apart(op, "packed", packed, nameOfA, a);
        Check.apart(op, "packed", packed, nameOfB, b);
        Check.apart(op, "scale", scale, nameOfA, a);
        Check.apart(op, "scale", scale, nameOfB, b);
    }

    private static void target(
            Op<?> op,
            Device device,
            Tensor packed,
            Tensor scale,
            String source,
            Tensor x,
            long columns,
            float globalScale,
            ScaleLayout layout) {
        if (layout == null) {
            throw Faults.missing(op, "layout", "linear or swizzled");
        }
        Check.positive(op, "globalScale", globalScale);
        ScaleChecks.codes(op, "packed", packed, device, columns, "the columns");
        Check.dim(op, "packed", packed, 0, x.dim(0), "dimension 0 of " + source);
        ScaleChecks.scales(op, "scale", scale, device, layout, x.dim(0), columns);
        Check.apart(op, "packed", packed, "scale", scale);
    }

    static void matmulNvfp4(Queue queue, Tensor out, Tensor act, Tensor packed, Tensor scale, float scale2) {
        Op<?> op = OpTable.MATMUL_NVFP4;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.outFloats(op, "out", out);
        Check.dense(op, "act", act, device, 2);
        Check.floats(op, "act", act);
        ScaleChecks.multiple(op, "act", act, 1, ScaleChecks.GROUP);
        Check.dim(op, "out", out, 0, act.dim(0), "dimension 0 of act");
        ScaleChecks.codes(op, "packed", packed, device, act.dim(1), "dimension 1 of act");
        Check.dim(op, "out", out, 1, packed.dim(0), "dimension 0 of packed");
        ScaleChecks.scales(op, "scale", scale, device, ScaleLayout.LINEAR, packed.dim(0), act.dim(1));
        ScaleChecks.notNegative(op, "scale2", scale2);
        Check.apart(op, "out", out, "act", act);
        Check.apart(op, "out", out, "packed", packed);
        Check.apart(op, "out", out, "scale", scale);
    }

    static void matmulNvfp4Fp4(Queue queue, Tensor out, Tensor a, Tensor aScale, Tensor b, Tensor bScale, float alpha) {
        Op<?> op = OpTable.MATMUL_NVFP4_FP4;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.outFloats(op, "out", out);
        product(op, device, out, a, aScale, b, bScale, ScaleLayout.LINEAR, alpha);
    }

    static void matmulNvfp4Cutlass(
            Queue queue,
            Tensor out,
            Tensor a,
            Tensor aScale,
            Tensor b,
            Tensor bScale,
            float alpha,
            @Nullable Tensor deviceAlpha) {
        Op<?> op = OpTable.MATMUL_NVFP4_CUTLASS;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 2);
        Check.dtype(op, "out", out, DType.BF16);
        product(op, device, out, a, aScale, b, bScale, ScaleLayout.SWIZZLED, alpha);
        ScaleChecks.multiple(op, "a", a, 1, CUTLASS / 2);
        ScaleChecks.multiple(op, "b", b, 0, CUTLASS);
        if (deviceAlpha != null) {
            Check.dense(op, "deviceAlpha", deviceAlpha, device, 1);
            Check.dtype(op, "deviceAlpha", deviceAlpha, DType.F32);
            Check.dim(op, "deviceAlpha", deviceAlpha, 0, 1, "one number");
            Check.apart(op, "out", out, "deviceAlpha", deviceAlpha);
        }
    }

    private static void product(
            Op<?> op,
            Device device,
            Tensor out,
            Tensor a,
            Tensor aScale,
            Tensor b,
            Tensor bScale,
            ScaleLayout layout,
            float alpha) {
        ScaleChecks.bytes(op, "a", a, device);
        ScaleChecks.bytes(op, "b", b, device);
        ScaleChecks.multiple(op, "a", a, 1, ScaleChecks.GROUP / 2);
        Check.dim(op, "b", b, 1, a.dim(1), "dimension 1 of a");
        Check.dim(op, "out", out, 0, a.dim(0), "dimension 0 of a");
        Check.dim(op, "out", out, 1, b.dim(0), "dimension 0 of b");
        ScaleChecks.scales(op, "aScale", aScale, device, layout, a.dim(0), 2 * a.dim(1));
        ScaleChecks.scales(op, "bScale", bScale, device, layout, b.dim(0), 2 * b.dim(1));
        ScaleChecks.finite(op, "alpha", alpha);
        Check.apart(op, "out", out, "a", a);
        Check.apart(op, "out", out, "aScale", aScale);
        Check.apart(op, "out", out, "b", b);
        Check.apart(op, "out", out, "bScale", bScale);
    }

    static void swizzle(Queue queue, Tensor out, Tensor scale) {
        Op<?> op = OpTable.SWIZZLE_BLOCKSCALE;
        Device device = Check.device(op, queue);
        ScaleChecks.bytes(op, "scale", scale, device);
        ScaleChecks.scales(
                op,
                "out",
                out,
                device,
                ScaleLayout.SWIZZLED,
                scale.dim(0),
                Math.multiplyExact(ScaleChecks.GROUP, scale.dim(1)));
        Check.apart(op, "out", out, "scale", scale);
    }
}
