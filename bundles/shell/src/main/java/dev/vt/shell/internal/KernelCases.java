package dev.vt.shell.internal;

import static dev.vt.api.tensor.DType.BF16;
import static dev.vt.api.tensor.DType.F16;
import static dev.vt.api.tensor.DType.F32;
import static dev.vt.api.tensor.DType.I32;
import static dev.vt.api.tensor.DType.I64;
import static dev.vt.api.tensor.DType.I8;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.RopeFrequencies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Calls of each op of the catalogue with random data: small ones of awkward sizes for {@code vt:verify}, and ones of
 * given sizes for {@code vt:bench}. The same sizes give the same data. Immutable, any thread.
 */
final class KernelCases {
    private static final List<DType> FLOATS = List.of(F32, F16, BF16);
    private static final List<DType> STORED = List.of(F32, BF16);
    private static final List<DType> ONLY_F32 = List.of(F32);
    private static final List<DType> BLOCKS = Arrays.stream(DType.values())
            .filter(d -> d.isBlock() && d != DType.Q8_K)
            .toList();
    /** Tokens of one block of a paged cache. */
    private static final int BLOCK = 16;

    private final Map<String, Recipe> recipes = new LinkedHashMap<>();

    /** Makes a case of given sizes. */
    @FunctionalInterface
    private interface Maker {
        KernelCase make(Sizes s, DType dtype, int variant, CaseData data);
    }

    /** The sizes of a case and what they are called. */
    private record Sizes(Op<?> op, long[] dims) {
        long at(int i) {
            return dims[i];
        }

        String label() {
            return LongStream.of(dims).mapToObj(Long::toString).collect(Collectors.joining("x"));
        }
    }

    private record Recipe(Op<?> op, String names, int variants, List<DType> dtypes, List<long[]> sizes, Maker maker) {
        KernelCase make(long[] dims, DType dtype, int variant) {
            long seed = Arrays.hashCode(dims) * 31L + op.id() * 1009L + dtype.ordinal() * 17L + variant;
            return maker.make(new Sizes(op, dims), dtype, variant, new CaseData(seed));
        }
    }

    KernelCases() {
        products();
        norms();
        elementwise();
        rows();
        rotary();
        attention();
        sampling();
    }

    /** The cases that a kernel of this op is verified with; empty for an op outside the catalogue. */
    List<KernelCase> of(Op<?> op) {
        Recipe recipe = recipes.get(op.name());
        List<KernelCase> out = new ArrayList<>();
        if (recipe != null) {
            for (DType dtype : recipe.dtypes()) {
                for (long[] dims : recipe.sizes()) {
                    for (int variant = 0; variant < recipe.variants(); variant++) {
                        out.add(recipe.make(dims, dtype, variant));
                    }
                }
            }
        }
        return out;
    }

    /** A case of given sizes, such as {@code 1x2048x2048}. */
    KernelCase sized(Op<?> op, String shape, DType dtype) {
        Recipe recipe = recipe(op);
        if (!recipe.dtypes().contains(dtype)) {
            throw VtException.invalidArgument(op + ": expected a dtype of " + recipe.dtypes() + ", given " + dtype);
        }
        return recipe.make(dims(recipe, shape), dtype, 0);
    }

    /** The dtype that a case has if none is asked for. */
    DType usualDtype(Op<?> op) {
        List<DType> dtypes = recipe(op).dtypes();
        return dtypes.contains(DType.Q8_0) && !dtypes.contains(F32) ? DType.Q8_0 : dtypes.getFirst();
    }

    private Recipe recipe(Op<?> op) {
        Recipe recipe = recipes.get(op.name());
        if (recipe == null) {
            throw VtException.unsupported("op " + op + " is not of the catalogue, so there is no call to measure");
        }
        return recipe;
    }

    private static long[] dims(Recipe recipe, String shape) {
        String[] parts = shape.split("x", -1);
        int expected = recipe.names().split("x", -1).length;
        long[] dims = new long[parts.length];
        boolean good = parts.length == expected;
        for (int i = 0; good && i < dims.length; i++) {
            good = parts[i].matches("[1-9][0-9]{0,9}");
            dims[i] = good ? Long.parseLong(parts[i]) : 0;
        }
        if (!good) {
            throw VtException.invalidArgument("op " + recipe.op() + ": expected sizes " + recipe.names() + ", such as "
                    + new Sizes(recipe.op(), recipe.sizes().getLast()).label() + ", given '" + shape + "'");
        }
        return dims;
    }

    private void add(Op<?> op, String names, int variants, List<DType> dtypes, List<long[]> sizes, Maker maker) {
        recipes.put(op.name(), new Recipe(op, names, variants, dtypes, sizes, maker));
    }

    private static List<long[]> sizes(String... shapes) {
        return Arrays.stream(shapes)
                .map(s -> Arrays.stream(s.split("x", -1))
                        .mapToLong(Long::parseLong)
                        .toArray())
                .toList();
    }

    /** What a result is stored in: bf16 for bf16, else f32. */
    private static DType stored(DType dtype) {
        return dtype == BF16 ? BF16 : F32;
    }

    private void products() {
        List<long[]> sizes = sizes("1x64x32", "3x33x7", "17x96x65", "4x256x40");
        add(OpTable.MATMUL, "MxKxN", 1, FLOATS, sizes, (s, d, v, r) -> product(s, d, r, d, s.at(1), s.at(2)));
        add(OpTable.MATMUL_BT, "MxKxN", 1, FLOATS, sizes, (s, d, v, r) -> product(s, d, r, d, s.at(2), s.at(1)));
        add(
                OpTable.MATMUL_BT_QUANT,
                "MxKxN",
                1,
                BLOCKS,
                sizes("1x256x32", "3x512x7", "17x256x33"),
                (s, d, v, r) -> product(s, d, r, F32, s.at(2), s.at(1)));
    }

    private static KernelCase product(Sizes s, DType dtype, CaseData r, DType a, long bRows, long bColumns) {
        boolean plain = s.op().equals(OpTable.MATMUL);
        return KernelCase.of(
                s.op(),
                s.label(),
                dtype,
                List.of(
                        Operand.out(stored(dtype), s.at(0), s.at(2)),
                        Operand.in(a, r.values(a, s.at(0), s.at(1)), s.at(0), s.at(1)),
                        Operand.in(dtype, r.values(dtype, bRows, bColumns), bRows, bColumns)),
                2.0 * s.at(0) * s.at(1) * s.at(2),
                (ops, q, t) -> {
                    if (plain) {
                        ops.matmul(q, t[0], t[1], t[2]);
                    } else {
                        ops.matmulBt(q, t[0], t[1], t[2]);
                    }
                });
    }

    private void norms() {
        List<long[]> sizes = sizes("1x64", "3x33", "5x256");
        // Variants: plain, with a residual, gemma's form.
        add(OpTable.RMS_NORM, "TxH", 3, STORED, sizes, (s, d, v, r) -> {
            List<Operand> operands = new ArrayList<>(List.of(
                    Operand.out(d, s.dims()),
                    Operand.in(d, r.values(d, s.dims()), s.dims()),
                    Operand.in(F32, r.between(0.5, 1.5, F32, s.at(1)), s.at(1))));
            if (v == 1) {
                operands.add(Operand.inOut(d, r.values(d, s.dims()), s.dims()));
            }
            return KernelCase.of(
                    s.op(),
                    s.label() + List.of("", " residual", " gemma").get(v),
                    d,
                    operands,
                    4.0 * s.at(0) * s.at(1),
                    (ops, q, t) -> ops.rmsNorm(q, t[0], t[1], t[2], t.length > 3 ? t[3] : null, 1e-5f, v == 2));
        });
        add(OpTable.LAYER_NORM, "TxD", 2, STORED, sizes, (s, d, v, r) -> {
            List<Operand> operands =
                    new ArrayList<>(List.of(Operand.out(d, s.dims()), Operand.in(d, r.values(d, s.dims()), s.dims())));
            if (v == 0) {
                operands.add(Operand.in(F32, r.between(0.5, 1.5, F32, s.at(1)), s.at(1)));
                operands.add(Operand.in(F32, r.values(F32, s.at(1)), s.at(1)));
            }
            return KernelCase.of(
                    s.op(),
                    s.label() + (v == 0 ? "" : " bare"),
                    d,
                    operands,
                    6.0 * s.at(0) * s.at(1),
                    (ops, q, t) -> ops.layerNorm(q, t[0], t[1], v == 0 ? t[2] : null, v == 0 ? t[3] : null, 1e-5f));
        });
    }

    private void elementwise() {
        List<long[]> sizes = sizes("1x64", "3x33", "5x256");
        add(
                OpTable.SILU_AND_MUL,
                "TxD",
                1,
                STORED,
                sizes,
                (s, d, v, r) -> unary(s, d, d, 2 * s.at(1), 5, r, (ops, q, t) -> ops.siluAndMul(q, t[0], t[1])));
        add(
                OpTable.GELU_AND_MUL,
                "TxD",
                1,
                STORED,
                sizes,
                (s, d, v, r) -> unary(s, d, d, 2 * s.at(1), 10, r, (ops, q, t) -> ops.geluAndMul(q, t[0], t[1])));
        add(
                OpTable.RELU,
                "TxD",
                1,
                STORED,
                sizes,
                (s, d, v, r) -> unary(s, d, d, s.at(1), 1, r, (ops, q, t) -> ops.relu(q, t[0], t[1])));
        add(
                OpTable.CAST_BF16,
                "TxD",
                1,
                FLOATS,
                sizes,
                (s, d, v, r) -> unary(s, d, BF16, s.at(1), 0, r, (ops, q, t) -> ops.castBf16(q, t[0], t[1])));
        add(
                OpTable.CAST_F32,
                "TxD",
                1,
                FLOATS,
                sizes,
                (s, d, v, r) -> unary(s, d, F32, s.at(1), 0, r, (ops, q, t) -> ops.castF32(q, t[0], t[1])));
        add(
                OpTable.MUL_SCALAR,
                "TxD",
                1,
                STORED,
                sizes,
                (s, d, v, r) -> unary(s, d, d, s.at(1), 1, r, (ops, q, t) -> ops.mulScalar(q, t[0], t[1], 0.3)));
        add(
                OpTable.SOFT_CAP,
                "TxD",
                1,
                STORED,
                sizes,
                (s, d, v, r) -> unary(s, d, d, s.at(1), 5, r, (ops, q, t) -> ops.softCap(q, t[0], t[1], 1.7)));
        // Variants: two of one shape, and a row added to every row.
        add(OpTable.ADD, "TxD", 2, STORED, sizes, (s, d, v, r) -> {
            long[] b = v == 0 ? s.dims() : new long[] {s.at(1)};
            return KernelCase.of(
                    s.op(),
                    s.label() + (v == 0 ? "" : " row"),
                    d,
                    List.of(
                            Operand.out(d, s.dims()),
                            Operand.in(d, r.values(d, s.dims()), s.dims()),
                            Operand.in(d, r.values(d, b), b)),
                    s.at(0) * s.at(1),
                    (ops, q, t) -> ops.add(q, t[0], t[1], t[2]));
        });
    }

    private static KernelCase unary(
            Sizes s, DType in, DType out, long columns, double flopsEach, CaseData r, KernelCase.Call call) {
        return KernelCase.of(
                s.op(),
                s.label(),
                in,
                List.of(Operand.out(out, s.dims()), Operand.in(in, r.values(in, s.at(0), columns), s.at(0), columns)),
                flopsEach * s.at(0) * s.at(1),
                call);
    }

    private void rows() {
        List<DType> tables = new ArrayList<>(FLOATS);
        tables.addAll(BLOCKS);
        // Variants: ids in i32 and i64.
        add(OpTable.EMBEDDING, "VxHxT", 2, tables, sizes("40x256x5", "7x512x1"), (s, d, v, r) -> {
            DType ids = v == 0 ? I32 : I64;
            KernelCase all = KernelCase.of(
                    s.op(),
                    s.label() + (v == 0 ? "" : " i64"),
                    d,
                    List.of(
                            Operand.out(stored(d), s.at(2), s.at(1)),
                            Operand.in(d, r.values(d, s.at(0), s.at(1)), s.at(0), s.at(1)),
                            Operand.in(ids, r.below(s.at(0), ids, s.at(2)), s.at(2))),
                    0,
                    (ops, q, t) -> ops.embedding(q, t[0], t[1], t[2]));
            return all.touching(s.at(2) * (d.rowBytes(s.at(1)) + stored(d).rowBytes(s.at(1))));
        });
        add(OpTable.QKV_SPLIT, "TxQxK", 1, STORED, sizes("1x64x32", "5x33x7"), (s, d, v, r) -> {
            long width = s.at(1) + 2 * s.at(2);
            return KernelCase.of(
                    s.op(),
                    s.label(),
                    d,
                    List.of(
                            Operand.out(d, s.at(0), s.at(1)),
                            Operand.out(d, s.at(0), s.at(2)),
                            Operand.out(d, s.at(0), s.at(2)),
                            Operand.in(d, r.values(d, s.at(0), width), s.at(0), width)),
                    0,
                    (ops, q, t) -> ops.qkvSplit(q, t[0], t[1], t[2], t[3]));
        });
    }

    private void rotary() {
        List<long[]> sizes = sizes("1x4x2x64", "5x3x1x32");
        add(OpTable.ROPE_NEOX, "TxHqxHkxD", 1, STORED, sizes, (s, d, v, r) -> {
            RopeFrequencies f = RopeFrequencies.of(10_000, Math.toIntExact(s.at(3)));
            return KernelCase.of(
                    s.op(),
                    s.label(),
                    d,
                    List.of(heads(s, 1, d, r), heads(s, 2, d, r), Operand.in(I32, r.below(512, I32, s.at(0)), s.at(0))),
                    3.0 * s.at(0) * (s.at(1) + s.at(2)) * s.at(3),
                    (ops, q, t) -> ops.ropeNeox(q, t[0], t[1], t[2], f));
        });
        add(OpTable.ROPE_COS_SIN_CACHE, "TxR", 1, ONLY_F32, sizes("1x64", "7x32"), (s, d, v, r) -> {
            RopeFrequencies f = RopeFrequencies.of(10_000, Math.toIntExact(s.at(1)));
            return KernelCase.of(
                    s.op(),
                    s.label(),
                    d,
                    List.of(Operand.out(F32, s.dims()), Operand.in(I64, r.below(512, I64, s.at(0)), s.at(0))),
                    s.at(0) * s.at(1),
                    (ops, q, t) -> ops.ropeCosSinCache(q, t[0], t[1], f, null));
        });
        // Variants: NeoX's pairs and GPT-J's.
        add(
                OpTable.ROPE_FROM_CACHE,
                "TxHqxHkxD",
                2,
                STORED,
                sizes,
                (s, d, v, r) -> KernelCase.of(
                        s.op(),
                        s.label() + (v == 0 ? "" : " interleaved"),
                        d,
                        List.of(
                                heads(s, 1, d, r),
                                heads(s, 2, d, r),
                                Operand.in(F32, r.between(-1, 1, F32, 64, s.at(3)), 64, s.at(3)),
                                Operand.in(I64, r.below(64, I64, s.at(0)), s.at(0))),
                        3.0 * s.at(0) * (s.at(1) + s.at(2)) * s.at(3),
                        (ops, q, t) -> ops.ropeFromCache(q, t[0], t[1], t[2], t[3], v == 1)));
    }

    private static Operand heads(Sizes s, int which, DType d, CaseData r) {
        return Operand.inOut(d, r.values(d, s.at(0), s.at(which), s.at(3)), s.at(0), s.at(which), s.at(3));
    }

    private void attention() {
        add(OpTable.RESHAPE_AND_CACHE, "TxHxD", 1, STORED, sizes("1x2x64", "21x3x32"), (s, d, v, r) -> {
            long blocks = Math.ceilDiv(s.at(0), BLOCK) + 1;
            int[] slots = r.shuffled(Math.toIntExact(blocks * BLOCK));
            byte[] mapping = CaseData.integers(I64, i -> i % 5 == 4 ? -1 : slots[(int) i], s.at(0));
            long[] cache = {blocks, BLOCK, s.at(1), s.at(2)};
            KernelCase all = KernelCase.of(
                    s.op(),
                    s.label(),
                    d,
                    List.of(
                            Operand.in(d, r.values(d, s.dims()), s.dims()),
                            Operand.in(d, r.values(d, s.dims()), s.dims()),
                            Operand.inOut(d, r.values(d, cache), cache),
                            Operand.inOut(d, r.values(d, cache), cache),
                            Operand.in(I64, mapping, s.at(0))),
                    0,
                    (ops, q, t) -> ops.reshapeAndCache(q, t[0], t[1], t[2], t[3], t[4]));
            return all.touching(4 * d.rowBytes(s.at(0) * s.at(1) * s.at(2)));
        });
        // Variants: one new token a request, five of them, a window, a soft cap.
        add(
                OpTable.PAGED_ATTENTION,
                "RxLxHqxHkvxD",
                4,
                STORED,
                sizes("1x37x4x2x64", "3x16x3x1x32"),
                KernelCases::paged);
    }

    /** R requests that each see L cached tokens through blocks in random order. */
    private static KernelCase paged(Sizes s, DType d, int variant, CaseData r) {
        long requests = s.at(0);
        long perRequest = Math.ceilDiv(s.at(1), BLOCK);
        long rows = variant == 1 ? Math.min(5, s.at(1)) : 1;
        int[] order = r.shuffled(Math.toIntExact(requests * perRequest));
        long[] query = {requests * rows, s.at(2), s.at(4)};
        long[] cache = {order.length, BLOCK, s.at(3), s.at(4)};
        AttentionParams params = new AttentionParams(
                (float) (1 / Math.sqrt(s.at(4))), true, variant == 2 ? 9 : 0, variant == 3 ? 2f : 0f);
        return KernelCase.of(
                s.op(),
                s.label() + List.of("", " rows " + rows, " window", " soft-cap").get(variant),
                d,
                List.of(
                        Operand.out(d, query),
                        Operand.in(d, r.values(d, query), query),
                        Operand.in(d, r.values(d, cache), cache),
                        Operand.in(d, r.values(d, cache), cache),
                        Operand.in(
                                I32,
                                CaseData.integers(I32, i -> order[(int) i], requests, perRequest),
                                requests,
                                perRequest),
                        Operand.in(I32, CaseData.integers(I32, i -> s.at(1), requests), requests),
                        Operand.in(I32, CaseData.integers(I32, i -> i * rows, requests + 1), requests + 1)),
                4.0 * requests * rows * s.at(1) * s.at(2) * s.at(4),
                (ops, q, t) -> ops.pagedAttention(q, t[0], t[1], t[2], t[3], t[4], t[5], t[6], params));
    }

    private void sampling() {
        List<long[]> sizes = sizes("1x100", "3x257");
        add(
                OpTable.GREEDY_ARGMAX,
                "RxV",
                1,
                FLOATS,
                sizes,
                (s, d, v, r) -> KernelCase.of(
                        s.op(),
                        s.label(),
                        d,
                        List.of(Operand.out(I64, s.at(0)), Operand.in(d, r.values(d, s.dims()), s.dims())),
                        s.at(0) * s.at(1),
                        (ops, q, t) -> ops.greedyArgmax(q, t[0], t[1])));
        add(
                OpTable.APPLY_TEMPERATURE,
                "RxV",
                1,
                ONLY_F32,
                sizes,
                (s, d, v, r) -> KernelCase.of(
                        s.op(),
                        s.label(),
                        d,
                        List.of(logits(s, r), Operand.in(F32, r.between(0.3, 2, F32, s.at(0)), s.at(0))),
                        s.at(0) * s.at(1),
                        (ops, q, t) -> ops.applyTemperature(q, t[0], t[1], true)));
        // Variants: both, only k, only p.
        add(
                OpTable.APPLY_TOP_K_TOP_P,
                "RxV",
                3,
                ONLY_F32,
                sizes,
                (s, d, v, r) -> KernelCase.of(
                        s.op(),
                        s.label() + List.of("", " k", " p").get(v),
                        d,
                        List.of(
                                logits(s, r),
                                Operand.in(I32, CaseData.integers(I32, i -> 5 + i, s.at(0)), s.at(0)),
                                Operand.in(F32, r.between(0.5, 0.9, F32, s.at(0)), s.at(0))),
                        0,
                        (ops, q, t) -> ops.applyTopKTopP(q, t[0], v == 2 ? null : t[1], v == 1 ? null : t[2])));
        add(
                OpTable.APPLY_MIN_P,
                "RxV",
                1,
                ONLY_F32,
                sizes,
                (s, d, v, r) -> KernelCase.of(
                        s.op(),
                        s.label(),
                        d,
                        List.of(logits(s, r), Operand.in(F32, r.between(0.05, 0.3, F32, s.at(0)), s.at(0))),
                        3.0 * s.at(0) * s.at(1),
                        (ops, q, t) -> ops.applyMinP(q, t[0], t[1])));
        add(
                OpTable.APPLY_PENALTIES,
                "RxV",
                1,
                ONLY_F32,
                sizes,
                (s, d, v, r) -> KernelCase.of(
                        s.op(),
                        s.label(),
                        d,
                        List.of(
                                logits(s, r),
                                Operand.in(I8, r.below(2, I8, s.dims()), s.dims()),
                                Operand.in(I8, r.below(2, I8, s.dims()), s.dims()),
                                Operand.in(I32, r.below(4, I32, s.dims()), s.dims()),
                                Operand.in(F32, r.between(1, 1.5, F32, s.at(0)), s.at(0)),
                                Operand.in(F32, r.between(0, 0.5, F32, s.at(0)), s.at(0)),
                                Operand.in(F32, r.between(0, 0.5, F32, s.at(0)), s.at(0))),
                        4.0 * s.at(0) * s.at(1),
                        (ops, q, t) -> ops.applyPenalties(q, t[0], t[1], t[2], t[3], t[4], t[5], t[6])));
        add(
                OpTable.COMPUTE_PROBS,
                "RxV",
                1,
                ONLY_F32,
                sizes,
                (s, d, v, r) -> unary(s, d, d, s.at(1), 4, r, (ops, q, t) -> ops.computeProbs(q, t[0], t[1])));
        add(
                OpTable.COMPUTE_LOGPROBS,
                "RxV",
                1,
                ONLY_F32,
                sizes,
                (s, d, v, r) -> unary(s, d, d, s.at(1), 4, r, (ops, q, t) -> ops.computeLogprobs(q, t[0], t[1])));
        add(
                OpTable.RANDOM_SAMPLE,
                "RxV",
                1,
                ONLY_F32,
                sizes,
                (s, d, v, r) -> KernelCase.of(
                        s.op(),
                        s.label(),
                        d,
                        List.of(
                                Operand.out(I64, s.at(0)),
                                Operand.in(F32, r.between(0, 1, F32, s.dims()), s.dims()),
                                Operand.in(I64, r.below(Long.MAX_VALUE, I64, s.at(0)), s.at(0))),
                        2.0 * s.at(0) * s.at(1),
                        (ops, q, t) -> ops.randomSample(q, t[0], t[1], t[2])));
    }

    private static Operand logits(Sizes s, CaseData r) {
        return Operand.inOut(F32, r.values(F32, s.dims()), s.dims());
    }
}
