package dev.vt.ops;

import dev.vt.api.tensor.DType;
import dev.vt.ops.kernel.RouterParams;
import java.util.List;
import java.util.stream.Stream;

/** Contracts of the ops of a mixture of experts, of the samplers that touch single logits, and of what stands alone. */
final class MoeContracts {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> OUT = List.of(DType.F32, DType.BF16);
    private static final List<DType> IDS = List.of(DType.I32, DType.I64);
    private static final List<DType> BF16 = List.of(DType.BF16);
    private static final List<DType> F32 = List.of(DType.F32);
    private static final List<DType> I32 = List.of(DType.I32);
    private static final List<DType> I64 = List.of(DType.I64);
    private static final List<DType> I8 = List.of(DType.I8);
    private static final Object[] NOT_POSITIVE = {0f, -1f, Float.NaN, Float.POSITIVE_INFINITY};

    private MoeContracts() {}

    static List<Contract> all() {
        return Stream.of(norms(), routing(), experts(), samplers(), probe())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Contract> norms() {
        return List.of(
                new Contract(OpTable.L2_NORM, (o, q, a) -> o.l2Norm(q, a.t("out"), a.t("x"), a.f("eps")))
                        .tensor("out", "2 3 4", OUT, "written")
                        .tensor("x", "2 3 4", FLOATS)
                        .number("eps", 1e-6f, NOT_POSITIVE),
                new Contract(
                                OpTable.RMS_NORM_GATED,
                                (o, q, a) -> o.rmsNormGated(
                                        q,
                                        a.t("out"),
                                        a.t("x"),
                                        a.t("gate"),
                                        a.t("weight"),
                                        a.f("eps"),
                                        a.b("sigmoid")))
                        .tensor("out", "2 3 4", OUT, "written")
                        .tensor("x", "2 3 4", FLOATS)
                        .tensor("gate", "2 3 4", FLOATS, "padded")
                        .tensor("weight", "4", FLOATS)
                        .number("eps", 1e-6f, NOT_POSITIVE)
                        .number("sigmoid", true));
    }

    private static List<Contract> routing() {
        return List.of(new Contract(
                        OpTable.MOE_ROUTER_TOP_K,
                        (o, q, a) -> o.moeRouterTopK(
                                q,
                                a.t("weights"),
                                a.t("indices"),
                                a.t("logits"),
                                a.t("bias"),
                                a.v("params", RouterParams.class)))
                .tensor("weights", "3 2", F32, "written")
                .tensor("indices", "3 2", I32, "written")
                .tensor("logits", "3 8", FLOATS)
                .tensor("bias", "8", F32, "nullable")
                .number("params", new RouterParams(true, true, 4, 2, 2.5f), badParams()));
    }

    /** Two of eight experts are asked for. */
    private static Object[] badParams() {
        return new Object[] {
            null,
            new RouterParams(true, true, 0, 1, 1f),
            new RouterParams(true, true, -1, 1, 1f),
            new RouterParams(true, true, 3, 1, 1f),
            new RouterParams(true, true, 16, 2, 1f),
            new RouterParams(true, true, 4, 0, 1f),
            new RouterParams(true, true, 4, -1, 1f),
            new RouterParams(true, true, 4, 5, 1f),
            new RouterParams(true, true, 8, 1, 1f),
            new RouterParams(true, true, 4, 2, 0f),
            new RouterParams(true, true, 4, 2, -1f),
            new RouterParams(true, true, 4, 2, Float.NaN),
            new RouterParams(true, true, 4, 2, Float.POSITIVE_INFINITY)
        };
    }

    private static List<Contract> experts() {
        return List.of(
                new Contract(
                                OpTable.MOE_COMBINE,
                                (o, q, a) ->
                                        o.moeCombine(q, a.t("out"), a.t("expertOut"), a.t("weights"), a.t("shared")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("expertOut", "3 2 4", FLOATS)
                        .tensor("weights", "3 2", F32)
                        .tensor("shared", "3 4", FLOATS, "nullable"),
                new Contract(
                                OpTable.MOE_COMBINE_GATE,
                                (o, q, a) -> o.moeCombineGate(
                                        q,
                                        a.t("out"),
                                        a.t("expertOut"),
                                        a.t("weights"),
                                        a.t("shared"),
                                        a.t("gateLogits")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("expertOut", "3 2 4", FLOATS)
                        .tensor("weights", "3 2", F32)
                        .tensor("shared", "3 4", F32)
                        .tensor("gateLogits", "3 1", F32),
                new Contract(
                                OpTable.SHARED_EXPERT_GATE,
                                (o, q, a) -> o.sharedExpertGate(q, a.t("out"), a.t("shared"), a.t("gateLogits")))
                        .tensor("out", "3 4", BF16, "written")
                        .tensor("shared", "3 4", F32)
                        .tensor("gateLogits", "3 1", F32),
                new Contract(OpTable.MOE_SILU_MUL, (o, q, a) -> o.moeSiluMul(q, a.t("out"), a.t("gate"), a.t("up")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("gate", "3 4", FLOATS)
                        .tensor("up", "3 4", FLOATS),
                new Contract(
                                OpTable.MOE_GROUPED_GEMM_BF16,
                                (o, q, a) -> o.moeGroupedGemmBf16(
                                        q, a.t("out"), a.t("act"), a.t("expertIds"), a.t("rowMap"), a.t("weights")))
                        .tensor("out", "3 *5", OUT, "written")
                        .tensor("act", "*3 *4", FLOATS)
                        .tensor("expertIds", "3", I32)
                        .tensor("rowMap", "3", I32, "nullable")
                        .tensor("weights", "*6", I64));
    }

    private static List<Contract> samplers() {
        return List.of(
                new Contract(
                                OpTable.APPLY_LOGIT_BIAS,
                                (o, q, a) -> o.applyLogitBias(q, a.t("logits"), a.t("rows"), a.t("cols"), a.t("bias")))
                        .tensor("logits", "*3 *5", F32, "written")
                        .tensor("rows", "7", I32)
                        .tensor("cols", "7", I32)
                        .tensor("bias", "7", F32),
                new Contract(
                                OpTable.APPLY_TOKEN_MASK,
                                (o, q, a) -> o.applyTokenMask(q, a.t("logits"), a.t("rows"), a.t("cols")))
                        .tensor("logits", "*3 *5", F32, "written")
                        .tensor("rows", "7", I32)
                        .tensor("cols", "7", I32),
                new Contract(
                                OpTable.APPLY_ALLOWED_TOKEN_IDS,
                                (o, q, a) -> o.applyAllowedTokenIds(q, a.t("logits"), a.t("mask")))
                        .tensor("logits", "3 5", F32, "written")
                        .tensor("mask", "3 5", I8),
                new Contract(
                                OpTable.GREEDY_REJECTION_SAMPLE,
                                (o, q, a) -> o.greedyRejectionSample(
                                        q, a.t("sampled"), a.t("num"), a.t("logits"), a.t("draft"), a.t("cu")))
                        .tensor("sampled", "2 *4", I32, "written")
                        .tensor("num", "2", I32, "written")
                        .tensor("logits", "6 *5", F32)
                        .tensor("draft", "6", I32)
                        .tensor("cu", "3", I32));
    }

    private static List<Contract> probe() {
        return List.of(new Contract(
                        OpTable.DROPIN_PROBE,
                        (o, q, a) -> o.dropinProbe(
                                q,
                                a.t("out"),
                                a.t("x"),
                                a.t("ids"),
                                a.t("scale"),
                                (long) a.d("integer"),
                                a.d("real"),
                                a.b("flag")))
                .tensor("out", "40", I64, "written")
                .tensor("x", "3 4", FLOATS, "padded")
                .tensor("ids", "3", IDS)
                .tensor("scale", "4", FLOATS, "nullable")
                .number("integer", -3L)
                .number("real", 2.5)
                .number("flag", true));
    }
}
