package dev.vt.ops;

import dev.vt.api.tensor.DType;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.StepCode;
import java.util.List;
import java.util.stream.Stream;

/** The contracts of the ops with four and eight bits, and of those that are several ops in one. */
final class QuantContracts {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> OUT = List.of(DType.F32, DType.BF16);
    private static final List<DType> F32 = List.of(DType.F32);
    private static final List<DType> BF16 = List.of(DType.BF16);
    private static final List<DType> I8 = List.of(DType.I8);
    private static final List<DType> I32 = List.of(DType.I32);
    private static final List<DType> I64 = List.of(DType.I64);
    private static final Object[] NOT_POSITIVE = {0f, -1f, Float.NaN, Float.POSITIVE_INFINITY};
    private static final Object[] NOT_FINITE = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};

    private QuantContracts() {}

    static List<Contract> all() {
        return Stream.of(fp4(), fp4Products(), fp8(), experts(), fused())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Contract> fp4() {
        return List.of(
                new Contract(
                                OpTable.SCALED_FP4_QUANT,
                                (o, q, a) -> o.scaledFp4Quant(
                                        q, a.t("packed"), a.t("scale"), a.t("x"), a.f("globalScale"), layout(a)))
                        .tensor("packed", "3 16", I8, "written")
                        .tensor("scale", "3 2", I8, "written")
                        .tensor("x", "3 32", FLOATS)
                        .number("globalScale", 2f, NOT_POSITIVE)
                        .number("layout", ScaleLayout.LINEAR, (Object) null),
                swizzled(),
                new Contract(
                                OpTable.SILU_MUL_FP4_QUANT,
                                (o, q, a) -> o.siluMulFp4Quant(
                                        q,
                                        a.t("packed"),
                                        a.t("scale"),
                                        a.t("gate"),
                                        a.t("up"),
                                        a.f("globalScale"),
                                        layout(a)))
                        .tensor("packed", "3 16", I8, "written")
                        .tensor("scale", "3 2", I8, "written")
                        .tensor("gate", "3 32", FLOATS)
                        .tensor("up", "3 32", FLOATS)
                        .number("globalScale", 2f, NOT_POSITIVE)
                        .number("layout", ScaleLayout.LINEAR, (Object) null),
                new Contract(
                                OpTable.SILU_AND_MUL_FP4_QUANT,
                                (o, q, a) -> o.siluAndMulFp4Quant(
                                        q, a.t("packed"), a.t("scale"), a.t("x"), a.f("globalScale"), layout(a)))
                        .tensor("packed", "3 16", I8, "written")
                        .tensor("scale", "3 2", I8, "written")
                        .tensor("x", "3 64", FLOATS)
                        .number("globalScale", 2f, NOT_POSITIVE)
                        .number("layout", ScaleLayout.LINEAR, (Object) null),
                new Contract(
                                OpTable.SIGMOID_GATE_FP4_QUANT,
                                (o, q, a) -> o.sigmoidGateFp4Quant(
                                        q,
                                        a.t("packed"),
                                        a.t("scale"),
                                        a.t("attn"),
                                        a.t("gate"),
                                        a.f("globalScale"),
                                        layout(a)))
                        .tensor("packed", "3 16", I8, "written")
                        .tensor("scale", "3 2", I8, "written")
                        .tensor("attn", "3 32", OUT)
                        .tensor("gate", "3 32", F32)
                        .number("globalScale", 2f, NOT_POSITIVE)
                        .number("layout", ScaleLayout.LINEAR, (Object) null),
                new Contract(OpTable.SWIZZLE_BLOCKSCALE, (o, q, a) -> o.swizzleBlockscale(q, a.t("out"), a.t("scale")))
                        .tensor("out", "128 8", I8, "written")
                        // Within a tile any number of rows and groups has the same output.
                        .tensor("scale", "*3 *5", I8));
    }

    private static Contract swizzled() {
        return new Contract(
                        OpTable.SCALED_FP4_QUANT,
                        (o, q, a) -> o.scaledFp4Quant(
                                q, a.t("packed"), a.t("scale"), a.t("x"), a.f("globalScale"), layout(a)))
                .tensor("packed", "3 16", I8, "written")
                .tensor("scale", "128 4", I8, "written")
                .tensor("x", "3 32", FLOATS)
                .number("globalScale", 2f, NOT_POSITIVE)
                .number("layout", ScaleLayout.SWIZZLED, (Object) null);
    }

    private static ScaleLayout layout(Contract.Args a) {
        return a.v("layout", ScaleLayout.class);
    }

    private static List<Contract> fp4Products() {
        return List.of(
                new Contract(
                                OpTable.MATMUL_NVFP4,
                                (o, q, a) -> o.matmulNvfp4(
                                        q, a.t("out"), a.t("act"), a.t("packed"), a.t("scale"), a.f("scale2")))
                        .tensor("out", "3 5", OUT, "written")
                        .tensor("act", "3 32", FLOATS)
                        .tensor("packed", "5 16", I8)
                        .tensor("scale", "5 2", I8)
                        .number("scale2", 0.5f, -1f, Float.NaN, Float.POSITIVE_INFINITY),
                new Contract(
                                OpTable.MATMUL_NVFP4_FP4,
                                (o, q, a) -> o.matmulNvfp4Fp4(
                                        q, a.t("out"), a.t("a"), a.t("aScale"), a.t("b"), a.t("bScale"), a.f("alpha")))
                        .tensor("out", "3 5", OUT, "written")
                        .tensor("a", "3 16", I8)
                        .tensor("aScale", "3 2", I8)
                        .tensor("b", "5 16", I8)
                        .tensor("bScale", "5 2", I8)
                        .number("alpha", -0.5f, NOT_FINITE),
                new Contract(
                                OpTable.MATMUL_NVFP4_CUTLASS,
                                (o, q, a) -> o.matmulNvfp4Cutlass(
                                        q,
                                        a.t("out"),
                                        a.t("a"),
                                        a.t("aScale"),
                                        a.t("b"),
                                        a.t("bScale"),
                                        a.f("alpha"),
                                        a.t("deviceAlpha")))
                        .tensor("out", "3 32", BF16, "written")
                        .tensor("a", "3 16", I8)
                        .tensor("aScale", "128 4", I8)
                        .tensor("b", "32 16", I8)
                        .tensor("bScale", "128 4", I8)
                        .number("alpha", -0.5f, NOT_FINITE)
                        .tensor("deviceAlpha", "1", F32, "nullable"));
    }

    private static List<Contract> fp8() {
        return List.of(
                new Contract(
                                OpTable.MATMUL_FP8_CUTLASS,
                                (o, q, a) -> o.matmulFp8Cutlass(q, a.t("out"), a.t("a"), a.t("b"), a.f("alpha")))
                        .tensor("out", "3 16", OUT, "written")
                        .tensor("a", "3 32", I8)
                        .tensor("b", "16 32", I8)
                        .number("alpha", -0.5f, NOT_FINITE),
                new Contract(
                                OpTable.MATMUL_FP8_CUBLASLT,
                                (o, q, a) -> o.matmulFp8Cublaslt(q, a.t("out"), a.t("a"), a.t("b"), a.f("alpha")))
                        .tensor("out", "3 16", OUT, "written")
                        .tensor("a", "3 32", I8)
                        .tensor("b", "16 32", I8)
                        .number("alpha", -0.5f, NOT_FINITE),
                new Contract(
                                OpTable.QUANT_FP8_STATIC,
                                (o, q, a) -> o.quantFp8Static(q, a.t("out"), a.t("x"), a.f("scale")))
                        .tensor("out", "3 5", I8, "written")
                        .tensor("x", "3 5", FLOATS)
                        .number("scale", 0.5f, NOT_POSITIVE));
    }

    private static List<Contract> experts() {
        return List.of(
                new Contract(
                                OpTable.MOE_GROUPED_GEMM_NVFP4,
                                (o, q, a) -> o.moeGroupedGemmNvfp4(
                                        q,
                                        a.t("out"),
                                        a.t("act"),
                                        a.t("expertIds"),
                                        a.t("rowMap"),
                                        a.t("packed"),
                                        a.t("scales"),
                                        a.t("scale2")))
                        .tensor("out", "3 *5", OUT, "written")
                        // Without rowMap out has act's rows.
                        .tensor("act", "*3 32", FLOATS)
                        .tensor("expertIds", "3", I32)
                        .tensor("rowMap", "3", I32, "nullable")
                        .tensor("packed", "7", I64)
                        .tensor("scales", "7", I64)
                        .tensor("scale2", "7", F32),
                marlin());
    }

    private static Contract marlin() {
        return new Contract(
                        OpTable.MOE_GROUPED_GEMM_NVFP4_MARLIN,
                        (o, q, a) -> o.moeGroupedGemmNvfp4Marlin(
                                q,
                                a.t("out"),
                                a.t("act"),
                                a.t("packed"),
                                a.t("scale"),
                                a.t("scale2"),
                                a.t("sortedTokenIds"),
                                a.t("expertIds"),
                                a.t("numTokensPostPadded"),
                                a.t("topkWeights"),
                                a.t("workspace"),
                                a.v("blockSize", Integer.class),
                                a.v("topK", Integer.class)))
                .tensor("out", "6 64", BF16, "written")
                .tensor("act", "3 32", BF16)
                .tensor("packed", "5 2 128", I32)
                .tensor("scale", "5 2 64", I8)
                .tensor("scale2", "5", F32)
                .tensor("sortedTokenIds", "16", I32)
                .tensor("expertIds", "2", I32)
                .tensor("numTokensPostPadded", "1", I32)
                .tensor("topkWeights", "3 2", F32, "nullable")
                .tensor("workspace", "*4", I32, "written")
                .number("blockSize", 8, 0, -1, 7)
                .number("topK", 2, 0, -1, 3);
    }

    private static List<Contract> fused() {
        Chain chain = new Chain(
                List.of(
                        FusedStep.of(StepCode.ADD, Chain.RESIDUAL, Chain.RESIDUAL, Chain.X),
                        FusedStep.rmsNorm(FusedStep.Form.GEMMA, Chain.OUT, Chain.RESIDUAL, Chain.WEIGHT)),
                List.of());
        return List.of(
                new Contract(
                                OpTable.FUSED_CHAIN,
                                (o, q, a) -> o.fusedChain(
                                        q,
                                        a.t("out"),
                                        a.t("x"),
                                        a.t("weight"),
                                        a.t("residual"),
                                        a.v("chain", Chain.class),
                                        a.f("eps")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("x", "3 4", FLOATS)
                        .tensor("weight", "4", FLOATS)
                        .tensor("residual", "3 4", OUT, "written")
                        .number("chain", chain, (Object) null)
                        .number("eps", 1e-6f, NOT_POSITIVE),
                new Contract(
                                OpTable.RMS_NORM_QUANT_FP8,
                                (o, q, a) -> o.rmsNormQuantFp8(
                                        q,
                                        a.t("out"),
                                        a.t("copy"),
                                        a.t("x"),
                                        a.t("weight"),
                                        a.t("residual"),
                                        a.f("eps"),
                                        a.b("gemma"),
                                        a.f("scale")))
                        .tensor("out", "3 4", I8, "written")
                        .tensor("copy", "3 4", BF16, "written", "nullable")
                        .tensor("x", "3 4", FLOATS)
                        .tensor("weight", "4", FLOATS)
                        .tensor("residual", "3 4", OUT, "written", "nullable")
                        .number("eps", 1e-6f, NOT_POSITIVE)
                        .number("gemma", true)
                        .number("scale", 0.5f, NOT_POSITIVE),
                gated("3 4"),
                gated("3 2 4"));
    }

    private static Contract gated(String shape) {
        return new Contract(
                        OpTable.RMS_NORM_GATED_QUANT_FP8,
                        (o, q, a) -> o.rmsNormGatedQuantFp8(
                                q,
                                a.t("out"),
                                a.t("x"),
                                a.t("gate"),
                                a.t("weight"),
                                a.f("eps"),
                                a.b("sigmoid"),
                                a.f("scale")))
                .tensor("out", shape, I8, "written")
                .tensor("x", shape, FLOATS)
                .tensor("gate", shape, FLOATS, "padded")
                .tensor("weight", "4", FLOATS)
                .number("eps", 1e-6f, NOT_POSITIVE)
                .number("sigmoid", true)
                .number("scale", 0.5f, NOT_POSITIVE);
    }
}
