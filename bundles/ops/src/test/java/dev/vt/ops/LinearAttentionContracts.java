package dev.vt.ops;

import dev.vt.api.tensor.DType;
import java.util.List;
import java.util.stream.Stream;

/** The contracts of causal convolutions and of the gated delta rule. Sizes that belong together are equal by no accident. */
final class LinearAttentionContracts {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);
    private static final List<DType> OUT = List.of(DType.F32, DType.BF16);
    private static final List<DType> F32 = List.of(DType.F32);
    private static final List<DType> I32 = List.of(DType.I32);
    private static final List<DType> FLAGS = List.of(DType.I32, DType.I8);
    private static final Object[] NOT_POSITIVE = {0f, -1f, Float.NaN, Float.POSITIVE_INFINITY};

    private LinearAttentionContracts() {}

    static List<Contract> all() {
        return Stream.of(convolutions(), rules(), packed(), gates(), states())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Contract> convolutions() {
        return List.of(
                new Contract(
                                OpTable.CAUSAL_CONV1D_FWD,
                                (o, q, a) -> o.causalConv1dFwd(
                                        q,
                                        a.t("out"),
                                        a.t("x"),
                                        a.t("weight"),
                                        a.t("bias"),
                                        a.t("state"),
                                        a.t("queryStartLoc"),
                                        a.t("hasInitialState"),
                                        a.b("silu")))
                        .tensor("out", "7 6", OUT, "written")
                        .tensor("x", "7 6", FLOATS)
                        .tensor("weight", "6 4", FLOATS)
                        .tensor("bias", "6", FLOATS, "nullable")
                        .tensor("state", "2 6 3", F32, "written")
                        .tensor("queryStartLoc", "3", I32)
                        .tensor("hasInitialState", "2", FLAGS)
                        .number("silu", true),
                update(true),
                update(false));
    }

    private static Contract update(boolean slots) {
        Contract c = new Contract(
                        OpTable.CAUSAL_CONV1D_UPDATE,
                        (o, q, a) -> o.causalConv1dUpdate(
                                q,
                                a.t("out"),
                                a.t("x"),
                                a.t("weight"),
                                a.t("bias"),
                                a.t("state"),
                                a.t("stateIndices"),
                                a.b("silu")))
                .tensor("out", "7 6", OUT, "written")
                .tensor("x", "7 6", FLOATS)
                .tensor("weight", "6 4", FLOATS)
                .tensor("bias", "6", FLOATS, "nullable")
                .tensor("state", slots ? "*9 6 3" : "7 6 3", F32, "written");
        return slots(c, slots).number("silu", true);
    }

    /** With slots any number of states does, without there is one for each row. */
    private static Contract slots(Contract c, boolean slots) {
        return slots ? c.tensor("stateIndices", "7", I32) : c.absent("stateIndices");
    }

    private static List<Contract> rules() {
        return List.of(
                new Contract(
                                OpTable.GDN_PREFILL,
                                (o, q, a) -> o.gdnPrefill(
                                        q,
                                        a.t("out"),
                                        a.t("q"),
                                        a.t("k"),
                                        a.t("v"),
                                        a.t("g"),
                                        a.t("beta"),
                                        a.t("state"),
                                        a.t("queryStartLoc"),
                                        a.f("scale")))
                        .tensor("out", "7 4 5", OUT, "written")
                        .tensor("q", "7 2 6", FLOATS)
                        .tensor("k", "7 2 6", FLOATS)
                        .tensor("v", "7 4 5", FLOATS)
                        .tensor("g", "7 4", F32)
                        .tensor("beta", "7 4", F32)
                        .tensor("state", "3 4 5 6", F32, "written")
                        .tensor("queryStartLoc", "4", I32)
                        .number("scale", 0.5f, NOT_POSITIVE),
                decode(true),
                decode(false));
    }

    private static Contract decode(boolean slots) {
        Contract c = new Contract(
                        OpTable.GDN_DECODE,
                        (o, q, a) -> o.gdnDecode(
                                q,
                                a.t("out"),
                                a.t("q"),
                                a.t("k"),
                                a.t("v"),
                                a.t("g"),
                                a.t("beta"),
                                a.t("state"),
                                a.t("stateIndices"),
                                a.f("scale")))
                .tensor("out", "7 4 5", OUT, "written")
                .tensor("q", "7 2 6", FLOATS)
                .tensor("k", "7 2 6", FLOATS)
                .tensor("v", "7 4 5", FLOATS)
                .tensor("g", "7 4", F32)
                .tensor("beta", "7 4", F32)
                .tensor("state", slots ? "*3 4 5 6" : "7 4 5 6", F32, "written");
        return slots(c, slots).number("scale", 0.5f, NOT_POSITIVE);
    }

    private static List<Contract> packed() {
        return List.of(new Contract(
                        OpTable.GDN_PACKED_DECODE,
                        (o, q, a) -> o.gdnPackedDecode(
                                q,
                                a.t("out"),
                                a.t("mixedQkv"),
                                a.t("a"),
                                a.t("b"),
                                a.t("aLog"),
                                a.t("dtBias"),
                                a.t("state"),
                                a.t("stateIndices"),
                                a.f("scale"),
                                a.f("eps")))
                .tensor("out", "7 4 5", OUT, "written")
                .tensor("mixedQkv", "7 44", FLOATS)
                .tensor("a", "7 4", FLOATS)
                .tensor("b", "7 4", FLOATS)
                .tensor("aLog", "4", FLOATS)
                .tensor("dtBias", "4", FLOATS)
                .tensor("state", "*3 4 5 6", F32, "written")
                .tensor("stateIndices", "7", I32)
                .number("scale", 0.5f, NOT_POSITIVE)
                .number("eps", 1e-6f, NOT_POSITIVE));
    }

    private static List<Contract> gates() {
        return List.of(
                new Contract(
                                OpTable.GDN_G_BETA,
                                (o, q, a) -> o.gdnGBeta(
                                        q, a.t("g"), a.t("beta"), a.t("a"), a.t("b"), a.t("aLog"), a.t("dtBias")))
                        .tensor("g", "7 4", F32, "written")
                        .tensor("beta", "7 4", F32, "written")
                        .tensor("a", "7 4", OUT, "padded")
                        .tensor("b", "7 4", OUT, "padded")
                        .tensor("aLog", "4", FLOATS)
                        .tensor("dtBias", "4", FLOATS),
                new Contract(
                                OpTable.GDN_CONV_SPLIT,
                                (o, q, a) -> o.gdnConvSplit(q, a.t("q"), a.t("k"), a.t("v"), a.t("x")))
                        .tensor("q", "7 12", F32, "written")
                        .tensor("k", "7 12", F32, "written")
                        .tensor("v", "7 20", F32, "written")
                        .tensor("x", "7 44", F32),
                new Contract(
                                OpTable.GDN_POST_CONV,
                                (o, q, a) -> o.gdnPostConv(
                                        q,
                                        a.t("q"),
                                        a.t("k"),
                                        a.t("v"),
                                        a.t("g"),
                                        a.t("beta"),
                                        a.t("x"),
                                        a.t("a"),
                                        a.t("b"),
                                        a.t("aLog"),
                                        a.t("dtBias"),
                                        a.f("eps")))
                        .tensor("q", "7 2 6", F32, "written")
                        .tensor("k", "7 2 6", F32, "written")
                        .tensor("v", "7 4 5", F32, "written")
                        .tensor("g", "7 4", F32, "written")
                        .tensor("beta", "7 4", F32, "written")
                        .tensor("x", "7 44", F32)
                        .tensor("a", "7 4", OUT, "padded")
                        .tensor("b", "7 4", OUT, "padded")
                        .tensor("aLog", "4", FLOATS)
                        .tensor("dtBias", "4", FLOATS)
                        .number("eps", 1e-6f, NOT_POSITIVE));
    }

    private static List<Contract> states() {
        return List.of(
                gather("5 6", "*3 5 6"), gather("4 5 6", "*3 4 5 6"), scatter("5 6", "*3 5 6"), scatter("6", "*3 6"));
    }

    private static Contract gather(String row, String cache) {
        return new Contract(
                        OpTable.GDN_STATE_GATHER,
                        (o, q, a) -> o.gdnStateGather(q, a.t("state"), a.t("cache"), a.t("stateIndices")))
                .tensor("state", "7 " + row, F32, "written")
                .tensor("cache", cache, OUT, "padded")
                .tensor("stateIndices", "7", I32);
    }

    private static Contract scatter(String row, String cache) {
        return new Contract(
                        OpTable.GDN_STATE_SCATTER,
                        (o, q, a) -> o.gdnStateScatter(q, a.t("cache"), a.t("state"), a.t("stateIndices")))
                .tensor("cache", cache, OUT, "written", "padded")
                .tensor("state", "7 " + row, F32)
                .tensor("stateIndices", "7", I32);
    }
}
