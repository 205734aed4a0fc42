package dev.vt.ops;

import dev.vt.api.tensor.DType;
import java.util.List;
import java.util.stream.Stream;

/** The contracts of attention without a page table, of multi-head latent attention, and of what stands beside them. */
final class AttentionContracts {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> OUT = List.of(DType.F32, DType.BF16);
    private static final List<DType> F32 = List.of(DType.F32);
    private static final List<DType> I32 = List.of(DType.I32);
    private static final List<DType> I64 = List.of(DType.I64);
    private static final Object[] NOT_POSITIVE = {0f, -1f, Float.NaN, Float.POSITIVE_INFINITY};

    private AttentionContracts() {}

    static List<Contract> all() {
        return Stream.of(dense(), gated(), latentAttention(), latentCache(), strided())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Contract> dense() {
        return List.of(
                new Contract(
                                OpTable.ATTENTION,
                                (o, q, a) -> o.attention(
                                        q, a.t("out"), a.t("query"), a.t("key"), a.t("value"), a.f("scale")))
                        .tensor("out", "3 4 6", OUT, "written")
                        .tensor("query", "3 4 6", FLOATS)
                        .tensor("key", "3 2 6", FLOATS)
                        .tensor("value", "3 2 6", FLOATS)
                        .number("scale", 0.5f, NOT_POSITIVE),
                new Contract(
                                OpTable.MERGE_ATTN_STATES,
                                (o, q, a) -> o.mergeAttnStates(
                                        q,
                                        a.t("out"),
                                        a.t("outLse"),
                                        a.t("prefix"),
                                        a.t("prefixLse"),
                                        a.t("suffix"),
                                        a.t("suffixLse")))
                        .tensor("out", "3 4 6", OUT, "written")
                        .tensor("outLse", "4 3", F32, "written", "nullable")
                        .tensor("prefix", "3 4 6", FLOATS)
                        .tensor("prefixLse", "4 3", F32)
                        .tensor("suffix", "3 4 6", FLOATS)
                        .tensor("suffixLse", "4 3", F32));
    }

    private static List<Contract> gated() {
        return List.of(
                new Contract(
                                OpTable.ATTN_GATE_SPLIT,
                                (o, q, a) -> o.attnGateSplit(q, a.t("q"), a.t("gate"), a.t("qGate")))
                        .tensor("q", "3 4 6", F32, "written")
                        .tensor("gate", "3 4 6", F32, "written")
                        .tensor("qGate", "3 48", FLOATS),
                new Contract(
                                OpTable.SIGMOID_GATE_BF16,
                                (o, q, a) -> o.sigmoidGateBf16(q, a.t("out"), a.t("attn"), a.t("gate")))
                        .tensor("out", "3 4 6", List.of(DType.BF16), "written")
                        .tensor("attn", "3 4 6", OUT)
                        .tensor("gate", "3 4 6", F32),
                new Contract(
                                OpTable.ATTN_QK_NORM_ROPE_GATE,
                                (o, q, a) -> o.attnQkNormRopeGate(
                                        q,
                                        a.t("qOut"),
                                        a.t("kOut"),
                                        a.t("gateOut"),
                                        a.t("qGate"),
                                        a.t("k"),
                                        a.t("qNorm"),
                                        a.t("kNorm"),
                                        a.t("cosSin"),
                                        a.f("eps")))
                        .tensor("qOut", "3 4 6", F32, "written")
                        .tensor("kOut", "3 2 6", F32, "written")
                        .tensor("gateOut", "3 4 6", F32, "written")
                        .tensor("qGate", "3 48", FLOATS)
                        .tensor("k", "3 12", FLOATS)
                        .tensor("qNorm", "6", FLOATS)
                        .tensor("kNorm", "6", FLOATS)
                        .tensor("cosSin", "3 6", F32)
                        .number("eps", 1e-6f, NOT_POSITIVE),
                new Contract(OpTable.MUL_COL_VEC_F32, (o, q, a) -> o.mulColVecF32(q, a.t("x"), a.t("col")))
                        .tensor("x", "*3 4", F32, "written")
                        .tensor("col", "4", F32));
    }

    private static List<Contract> latentAttention() {
        return List.of(
                new Contract(
                                OpTable.MLA_DECODE_ATTENTION,
                                (o, q, a) -> o.mlaDecodeAttention(
                                        q,
                                        a.t("out"),
                                        a.t("lse"),
                                        a.t("query"),
                                        a.t("cache"),
                                        a.t("blockTable"),
                                        a.t("seqLens"),
                                        a.f("scale")))
                        .tensor("out", "3 4 6", F32, "written")
                        .tensor("lse", "3 4", F32, "written", "nullable")
                        .tensor("query", "3 4 6", F32)
                        .tensor("cache", "*5 *2 6", F32, "padded")
                        .tensor("blockTable", "3 *7", I32)
                        .tensor("seqLens", "3", I32)
                        .number("scale", 0.5f, NOT_POSITIVE),
                new Contract(
                                OpTable.MLA_PREFILL_ATTENTION,
                                (o, q, a) -> o.mlaPrefillAttention(
                                        q,
                                        a.t("out"),
                                        a.t("lse"),
                                        a.t("query"),
                                        a.t("key"),
                                        a.t("value"),
                                        a.t("cuSeqlensQ"),
                                        a.t("cuSeqlensK"),
                                        a.f("scale"),
                                        a.b("causal")))
                        .tensor("out", "3 4 5", OUT, "written")
                        .tensor("lse", "4 3", F32, "written", "nullable")
                        .tensor("query", "3 4 6", FLOATS)
                        .tensor("key", "7 4 6", FLOATS)
                        .tensor("value", "7 4 5", FLOATS)
                        .tensor("cuSeqlensQ", "8", I32)
                        .tensor("cuSeqlensK", "8", I32)
                        .number("scale", 0.5f, NOT_POSITIVE)
                        .number("causal", true));
    }

    private static List<Contract> latentCache() {
        return List.of(
                new Contract(
                                OpTable.CONCAT_AND_CACHE_MLA,
                                (o, q, a) -> o.concatAndCacheMla(
                                        q, a.t("kvC"), a.t("kPe"), a.t("cache"), a.t("slotMapping")))
                        .tensor("kvC", "3 4", FLOATS)
                        .tensor("kPe", "3 2", FLOATS)
                        .tensor("cache", "*5 *7 6", OUT, "written", "padded")
                        .tensor("slotMapping", "3", I64),
                new Contract(
                                OpTable.GATHER_MLA_CACHE,
                                (o, q, a) -> o.gatherMlaCache(
                                        q,
                                        a.t("dst"),
                                        a.t("cache"),
                                        a.t("blockTable"),
                                        a.t("cuSeqLens"),
                                        a.t("tokenToSeq"),
                                        a.t("seqStarts")))
                        .tensor("dst", "*5 6", OUT, "written")
                        .tensor("cache", "*8 *2 6", FLOATS, "padded")
                        .tensor("blockTable", "3 *7", I32)
                        .tensor("cuSeqLens", "4", I32)
                        .tensor("tokenToSeq", "*5", I32)
                        .tensor("seqStarts", "3", I32, "nullable"));
    }

    private static List<Contract> strided() {
        return List.of(
                new Contract(OpTable.BATCHED_MATMUL, (o, q, a) -> o.batchedMatmul(q, a.t("out"), a.t("a"), a.t("b")))
                        .tensor("out", "2 3 5", OUT, "written", "strided")
                        .tensor("a", "2 3 4", OUT, "strided")
                        .tensor("b", "2 4 5", OUT, "strided"),
                new Contract(
                                OpTable.CONCAT_MLA_NOPE_ROPE,
                                (o, q, a) -> o.concatMlaNopeRope(q, a.t("out"), a.t("nope"), a.t("rope")))
                        .tensor("out", "3 4 6", F32, "written", "strided")
                        .tensor("nope", "3 4 2", F32, "strided")
                        .tensor("rope", "3 4 4", F32, "strided"));
    }
}
