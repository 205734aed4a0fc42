package dev.vt.ops;

import dev.vt.api.tensor.DType;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import dev.vt.ops.kernel.RopeFrequencies.Llama3Scaling;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The contract of every op of the table. Sizes that belong together are equal by no accident, all others differ. */
final class Contracts {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> OUT = List.of(DType.F32, DType.BF16);
    private static final List<DType> IDS = List.of(DType.I32, DType.I64);
    private static final List<DType> F32 = List.of(DType.F32);
    private static final List<DType> I32 = List.of(DType.I32);
    private static final List<DType> I64 = List.of(DType.I64);
    private static final List<DType> I8 = List.of(DType.I8);
    private static final List<DType> ENCODED = Arrays.stream(DType.values())
            .filter(d -> d.isBlock() && d != DType.Q8_K)
            .toList();
    private static final List<DType> TABLE =
            Stream.concat(FLOATS.stream(), ENCODED.stream()).toList();
    private static final Object[] NOT_POSITIVE = {0f, -1f, Float.NaN, Float.POSITIVE_INFINITY};

    private Contracts() {}

    static List<Contract> all() {
        return Stream.of(
                        matrices(),
                        norms(),
                        elementwise(),
                        rows(),
                        ropes(),
                        attention(),
                        sampler(),
                        penalties(),
                        LinearAttentionContracts.all(),
                        QuantContracts.all(),
                        AttentionContracts.all(),
                        MoeContracts.all())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Contract> matrices() {
        return List.of(
                new Contract(OpTable.MATMUL, (o, q, a) -> o.matmul(q, a.t("out"), a.t("a"), a.t("b")))
                        .tensor("out", "3 5", OUT, "written")
                        .tensor("a", "3 4", FLOATS)
                        .tensor("b", "4 5", FLOATS),
                new Contract(OpTable.MATMUL_BT, (o, q, a) -> o.matmulBt(q, a.t("out"), a.t("a"), a.t("b")))
                        .tensor("out", "3 5", OUT, "written", "padded")
                        .tensor("a", "3 256", FLOATS, "padded")
                        .tensor("b", "5 256", FLOATS, "encoded elsewhere"),
                new Contract(OpTable.MATMUL_BT_QUANT, (o, q, a) -> o.matmulBtQuant(q, a.t("out"), a.t("a"), a.t("b")))
                        .tensor("out", "3 5", OUT, "written", "padded")
                        .tensor("a", "3 256", FLOATS, "padded")
                        .tensor("b", "5 256", ENCODED));
    }

    private static List<Contract> norms() {
        return List.of(
                new Contract(
                                OpTable.RMS_NORM,
                                (o, q, a) -> o.rmsNorm(
                                        q,
                                        a.t("out"),
                                        a.t("x"),
                                        a.t("weight"),
                                        a.t("residual"),
                                        a.f("eps"),
                                        a.b("gemma")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("x", "3 4", FLOATS)
                        .tensor("weight", "4", FLOATS)
                        .tensor("residual", "3 4", OUT, "written", "nullable")
                        .number("eps", 1e-6f, NOT_POSITIVE)
                        .number("gemma", true),
                new Contract(
                                OpTable.LAYER_NORM,
                                (o, q, a) ->
                                        o.layerNorm(q, a.t("out"), a.t("x"), a.t("weight"), a.t("bias"), a.f("eps")))
                        .tensor("out", "2 3 4", OUT, "written")
                        .tensor("x", "2 3 4", FLOATS)
                        .tensor("weight", "4", FLOATS, "nullable")
                        .tensor("bias", "4", FLOATS, "nullable")
                        .number("eps", 1e-5f, NOT_POSITIVE));
    }

    private static List<Contract> elementwise() {
        return List.of(
                new Contract(OpTable.SILU_AND_MUL, (o, q, a) -> o.siluAndMul(q, a.t("out"), a.t("x")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("x", "3 8", FLOATS),
                new Contract(OpTable.GELU_AND_MUL, (o, q, a) -> o.geluAndMul(q, a.t("out"), a.t("x")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("x", "3 8", FLOATS),
                new Contract(OpTable.RELU, (o, q, a) -> o.relu(q, a.t("out"), a.t("x")))
                        .tensor("out", "2 3 4", OUT, "written")
                        .tensor("x", "2 3 4", FLOATS)
                        .inPlace("x"),
                new Contract(OpTable.ADD, (o, q, a) -> o.add(q, a.t("out"), a.t("a"), a.t("b")))
                        .tensor("out", "2 3 4", OUT, "written")
                        .tensor("a", "2 3 4", FLOATS)
                        .tensor("b", "2 3 4", FLOATS)
                        .inPlace("a"),
                new Contract(OpTable.MUL_SCALAR, (o, q, a) -> o.mulScalar(q, a.t("out"), a.t("x"), a.d("value")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("x", "3 4", FLOATS)
                        .number("value", -2.5),
                new Contract(OpTable.SOFT_CAP, (o, q, a) -> o.softCap(q, a.t("out"), a.t("x"), a.d("cap")))
                        .tensor("out", "3 4", OUT, "written")
                        .tensor("x", "3 4", FLOATS)
                        .number("cap", 30.0, 0.0, -1.0, Double.NaN, Double.POSITIVE_INFINITY),
                new Contract(OpTable.CAST_BF16, (o, q, a) -> o.castBf16(q, a.t("out"), a.t("x")))
                        .tensor("out", "3 4", List.of(DType.BF16), "written")
                        .tensor("x", "3 4", FLOATS),
                new Contract(OpTable.CAST_F32, (o, q, a) -> o.castF32(q, a.t("out"), a.t("x")))
                        .tensor("out", "3 4", F32, "written")
                        .tensor("x", "3 4", List.of(DType.BF16, DType.F16, DType.F32), "padded"));
    }

    private static List<Contract> rows() {
        return List.of(
                new Contract(OpTable.EMBEDDING, (o, q, a) -> o.embedding(q, a.t("out"), a.t("table"), a.t("ids")))
                        .tensor("out", "3 256", OUT, "written")
                        .tensor("table", "*7 256", TABLE)
                        .tensor("ids", "3", IDS),
                new Contract(OpTable.QKV_SPLIT, (o, q, a) -> o.qkvSplit(q, a.t("q"), a.t("k"), a.t("v"), a.t("qkv")))
                        .tensor("q", "3 8", F32, "written")
                        .tensor("k", "3 4", F32, "written")
                        .tensor("v", "3 2", F32, "written")
                        .tensor("qkv", "3 14", F32));
    }

    private static List<Contract> ropes() {
        return List.of(
                new Contract(
                                OpTable.ROPE_NEOX,
                                (o, q, a) -> o.ropeNeox(
                                        q,
                                        a.t("q"),
                                        a.t("k"),
                                        a.t("positions"),
                                        a.v("frequencies", RopeFrequencies.class)))
                        .tensor("q", "3 *4 6", F32, "written")
                        .tensor("k", "3 *2 6", F32, "written")
                        .tensor("positions", "3", IDS)
                        .number("frequencies", RopeFrequencies.of(10000, 4), badFrequencies(8))
                        .absent("sections"),
                new Contract(
                                OpTable.ROPE_NEOX,
                                (o, q, a) -> o.ropeNeox(
                                        q,
                                        a.t("q"),
                                        a.t("k"),
                                        a.t("positions"),
                                        a.v("frequencies", RopeFrequencies.class),
                                        a.v("sections", MropeSections.class)))
                        .tensor("q", "5 *4 8", F32, "written")
                        .tensor("k", "5 *2 8", F32, "written")
                        .tensor("positions", "3 5", IDS)
                        .number("frequencies", RopeFrequencies.of(10000, 6), badFrequencies(10))
                        .number("sections", new MropeSections(2, 0, 1), badSections()),
                new Contract(
                                OpTable.ROPE_COS_SIN_CACHE,
                                (o, q, a) -> o.ropeCosSinCache(
                                        q,
                                        a.t("cosSin"),
                                        a.t("positions"),
                                        a.v("frequencies", RopeFrequencies.class),
                                        a.t("factors")))
                        .tensor("cosSin", "3 4", F32, "written")
                        .tensor("positions", "3", IDS)
                        .number("frequencies", RopeFrequencies.of(10000, 4), badFrequencies(6))
                        .tensor("factors", "2", F32, "nullable"),
                new Contract(
                                OpTable.ROPE_FROM_CACHE,
                                (o, q, a) -> o.ropeFromCache(
                                        q, a.t("q"), a.t("k"), a.t("cosSin"), a.t("positions"), a.b("interleaved")))
                        .tensor("q", "3 *4 6", F32, "written", "padded")
                        .tensor("k", "3 *2 6", F32, "written", "padded", "nullable")
                        .tensor("cosSin", "*9 6", F32)
                        .tensor("positions", "3", IDS)
                        .number("interleaved", true)
                        .absent("sections"),
                new Contract(
                                OpTable.ROPE_FROM_CACHE,
                                (o, q, a) -> o.ropeFromCache(
                                        q,
                                        a.t("q"),
                                        a.t("k"),
                                        a.t("cosSin"),
                                        a.t("positions"),
                                        a.b("interleaved"),
                                        a.v("sections", MropeSections.class)))
                        .tensor("q", "5 *4 6", F32, "written", "padded")
                        .tensor("k", "5 *2 6", F32, "written", "padded", "nullable")
                        .tensor("cosSin", "*9 6", F32)
                        .tensor("positions", "3 5", IDS)
                        .number("interleaved", true)
                        .number("sections", new MropeSections(2, 0, 1), badSections()));
    }

    /** Sections that are not three pairs. */
    private static Object[] badSections() {
        return new Object[] {
            new MropeSections(1, 0, 1),
            new MropeSections(2, 1, 1),
            new MropeSections(-1, 2, 2),
            new MropeSections(2, -1, 2),
            new MropeSections(2, 2, -1),
            new MropeSections(Integer.MAX_VALUE, Integer.MAX_VALUE, 5)
        };
    }

    /** Frequencies that no op takes, and a rotaryDim that this one doesn't. */
    private static Object[] badFrequencies(int tooMany) {
        return new Object[] {
            null,
            RopeFrequencies.of(10000, tooMany),
            RopeFrequencies.of(10000, 3),
            RopeFrequencies.of(10000, 0),
            RopeFrequencies.of(10000, -4),
            RopeFrequencies.of(0, 4),
            RopeFrequencies.of(Double.NaN, 4),
            new RopeFrequencies(10000, 4, 0, null),
            new RopeFrequencies(10000, 4, Double.POSITIVE_INFINITY, null),
            new RopeFrequencies(10000, 4, 1, new Llama3Scaling(0, 1, 4, 8192)),
            new RopeFrequencies(10000, 4, 1, new Llama3Scaling(8, 0, 4, 8192)),
            new RopeFrequencies(10000, 4, 1, new Llama3Scaling(8, 1, Double.NaN, 8192)),
            new RopeFrequencies(10000, 4, 1, new Llama3Scaling(8, 4, 4, 8192)),
            new RopeFrequencies(10000, 4, 1, new Llama3Scaling(8, 1, 4, 0))
        };
    }

    private static List<Contract> attention() {
        return List.of(
                new Contract(
                                OpTable.RESHAPE_AND_CACHE,
                                (o, q, a) -> o.reshapeAndCache(
                                        q, a.t("k"), a.t("v"), a.t("kCache"), a.t("vCache"), a.t("slotMapping")))
                        .tensor("k", "3 2 6", F32)
                        .tensor("v", "3 2 6", F32)
                        .tensor("kCache", "5 4 2 6", F32, "written", "padded")
                        .tensor("vCache", "5 4 2 6", F32, "written", "padded")
                        .tensor("slotMapping", "3", I64),
                new Contract(
                                OpTable.PAGED_ATTENTION,
                                (o, q, a) -> o.pagedAttention(
                                        q,
                                        a.t("out"),
                                        a.t("query"),
                                        a.t("kCache"),
                                        a.t("vCache"),
                                        a.t("blockTable"),
                                        a.t("seqLens"),
                                        a.t("queryStartLoc"),
                                        a.v("params", AttentionParams.class)))
                        .tensor("out", "3 4 6", OUT, "written")
                        .tensor("query", "3 4 6", FLOATS)
                        .tensor("kCache", "5 4 2 6", F32, "padded")
                        .tensor("vCache", "5 4 2 6", F32, "padded")
                        .tensor("blockTable", "7 *8", I32)
                        .tensor("seqLens", "7", I32)
                        .tensor("queryStartLoc", "8", I32)
                        .number(
                                "params",
                                AttentionParams.causal(0.5f),
                                null,
                                AttentionParams.causal(0),
                                AttentionParams.causal(-1),
                                AttentionParams.causal(Float.NaN),
                                AttentionParams.causal(Float.POSITIVE_INFINITY),
                                new AttentionParams(1, true, -1, 0),
                                new AttentionParams(1, true, 0, -1),
                                new AttentionParams(1, true, 0, Float.NaN),
                                new AttentionParams(1, true, 0, Float.POSITIVE_INFINITY)));
    }

    private static List<Contract> sampler() {
        return List.of(
                new Contract(OpTable.GREEDY_ARGMAX, (o, q, a) -> o.greedyArgmax(q, a.t("tokenIds"), a.t("logits")))
                        .tensor("tokenIds", "3", I64, "written")
                        .tensor("logits", "3 *5", FLOATS),
                new Contract(
                                OpTable.APPLY_TEMPERATURE,
                                (o, q, a) -> o.applyTemperature(q, a.t("logits"), a.t("temperature"), a.b("allRandom")))
                        .tensor("logits", "3 *5", F32, "written")
                        .tensor("temperature", "3", F32)
                        .number("allRandom", true),
                new Contract(
                                OpTable.APPLY_TOP_K_TOP_P,
                                (o, q, a) -> o.applyTopKTopP(q, a.t("logits"), a.t("k"), a.t("p")))
                        .tensor("logits", "3 *5", F32, "written")
                        .tensor("k", "3", I32, "nullable")
                        .tensor("p", "3", F32, "nullable"),
                new Contract(OpTable.APPLY_MIN_P, (o, q, a) -> o.applyMinP(q, a.t("logits"), a.t("minP")))
                        .tensor("logits", "3 *5", F32, "written")
                        .tensor("minP", "3", F32),
                new Contract(OpTable.COMPUTE_PROBS, (o, q, a) -> o.computeProbs(q, a.t("out"), a.t("x")))
                        .tensor("out", "3 5", F32, "written")
                        .tensor("x", "3 5", F32),
                new Contract(OpTable.COMPUTE_LOGPROBS, (o, q, a) -> o.computeLogprobs(q, a.t("out"), a.t("x")))
                        .tensor("out", "3 5", F32, "written")
                        .tensor("x", "3 5", F32),
                new Contract(
                                OpTable.RANDOM_SAMPLE,
                                (o, q, a) -> o.randomSample(q, a.t("tokenIds"), a.t("probs"), a.t("seeds")))
                        .tensor("tokenIds", "3", I64, "written")
                        .tensor("probs", "3 *5", F32)
                        .tensor("seeds", "3", I64));
    }

    private static List<Contract> penalties() {
        return List.of(new Contract(
                        OpTable.APPLY_PENALTIES,
                        (o, q, a) -> o.applyPenalties(
                                q,
                                a.t("logits"),
                                a.t("promptMask"),
                                a.t("outputMask"),
                                a.t("counts"),
                                a.t("repetition"),
                                a.t("frequency"),
                                a.t("presence")))
                .tensor("logits", "3 5", F32, "written")
                .tensor("promptMask", "3 5", I8)
                .tensor("outputMask", "3 5", I8)
                .tensor("counts", "3 5", I32)
                .tensor("repetition", "3", F32)
                .tensor("frequency", "3", F32)
                .tensor("presence", "3", F32));
    }
}
