package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.ConcatAndCacheMla;
import dev.vt.ops.kernel.ConcatMlaNopeRope;
import dev.vt.ops.kernel.GatherMlaCache;
import dev.vt.ops.kernel.MlaDecodeAttention;
import dev.vt.ops.kernel.MlaPrefillAttention;
import org.jspecify.annotations.Nullable;

/** Contracts of multi-head latent attention and of its paged cache. */
final class MlaChecks {
    private static final String OF_REQUESTS = "dimension 0 of blockTable";

    private MlaChecks() {}

    /** A cache in an fp8 layout is of i8 and so refused by its dtype. */
    static void concatAndCache(Queue queue, Tensor kvC, Tensor kPe, Tensor cache, Tensor slotMapping) {
        Op<ConcatAndCacheMla> op = OpTable.CONCAT_AND_CACHE_MLA;
        Device device = Check.device(op, queue);
        Check.dense(op, "kvC", kvC, device, 2);
        Check.dense(op, "kPe", kPe, device, 2);
        Check.floats(op, "kvC", kvC);
        Check.floats(op, "kPe", kPe);
        Check.dim(op, "kPe", kPe, 0, kvC.dim(0), "dimension 0 of kvC");
        Check.padded(op, "cache", cache, device, 3);
        Check.outFloats(op, "cache", cache);
        Check.dim(op, "cache", cache, 2, kvC.dim(1) + kPe.dim(1), "the widths of kvC and kPe together");
        Check.dense(op, "slotMapping", slotMapping, device, 1);
        Check.dtype(op, "slotMapping", slotMapping, DType.I64);
        Check.dim(op, "slotMapping", slotMapping, 0, kvC.dim(0), "dimension 0 of kvC");
        Check.apart(op, "cache", cache, "kvC", kvC);
        Check.apart(op, "cache", cache, "kPe", kPe);
        Check.apart(op, "cache", cache, "slotMapping", slotMapping);
    }

    static void decode(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor cache,
            Tensor blockTable,
            Tensor seqLens,
            float scale) {
        Op<MlaDecodeAttention> op = OpTable.MLA_DECODE_ATTENTION;
        Device device = Check.device(op, queue);
        Check.dense(op, "query", query, device, 3);
        Check.outFloats(op, "query", query);
        Check.dense(op, "out", out, device, 3);
        Check.sameDtype(op, "out", out, "query", query);
        Check.dim(op, "out", out, 0, query.dim(0), "dimension 0 of query");
        Check.dim(op, "out", out, 1, query.dim(1), "dimension 1 of query");
        if (out.dim(2) > query.dim(2)) {
            throw Faults.of(op, "out", "dimension 2 to be at most that of query, which is " + query, "" + out);
        }
        Check.padded(op, "cache", cache, device, 3);
        Check.sameDtype(op, "cache", cache, "query", query);
        Check.dim(op, "cache", cache, 2, query.dim(2), "dimension 2 of query");
        table(op, blockTable, device);
        Check.dim(op, "blockTable", blockTable, 0, query.dim(0), "dimension 0 of query");
        perRequest(op, "seqLens", seqLens, blockTable, device);
        Check.positive(op, "scale", scale);
        decodeApart(op, "out", out, query, cache, blockTable, seqLens);
        if (lse != null) {
            lse(op, lse, device, query.dim(0), "dimension 0 of query", query.dim(1), "dimension 1 of query");
            Check.apart(op, "lse", lse, "out", out);
            decodeApart(op, "lse", lse, query, cache, blockTable, seqLens);
        }
    }

    private static void decodeApart(
            Op<?> op, String argument, Tensor t, Tensor query, Tensor cache, Tensor blockTable, Tensor seqLens) {
        Check.apart(op, argument, t, "query", query);
        Check.apart(op, argument, t, "cache", cache);
        Check.apart(op, argument, t, "blockTable", blockTable);
        Check.apart(op, argument, t, "seqLens", seqLens);
    }

    private static void lse(Op<?> op, Tensor lse, Device device, long first, String why, long second, String why2) {
        Check.dense(op, "lse", lse, device, 2);
        Check.dtype(op, "lse", lse, DType.F32);
        Check.dim(op, "lse", lse, 0, first, why);
        Check.dim(op, "lse", lse, 1, second, why2);
    }

    private static void table(Op<?> op, Tensor blockTable, Device device) {
        Check.dense(op, "blockTable", blockTable, device, 2);
        Check.dtype(op, "blockTable", blockTable, DType.I32);
    }

    private static void perRequest(Op<?> op, String argument, Tensor t, Tensor blockTable, Device device) {
        indices(op, argument, t, device);
        Check.dim(op, argument, t, 0, blockTable.dim(0), OF_REQUESTS);
    }

    private static void indices(Op<?> op, String argument, Tensor t, Device device) {
        Check.dense(op, argument, t, device, 1);
        Check.dtype(op, argument, t, DType.I32);
    }

    static void prefill(
            Queue queue,
            Tensor out,
            @Nullable Tensor lse,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor cuSeqlensQ,
            Tensor cuSeqlensK,
            float scale) {
        Op<MlaPrefillAttention> op = OpTable.MLA_PREFILL_ATTENTION;
        Device device = Check.device(op, queue);
        heads(op, out, query, key, value, device);
        indices(op, "cuSeqlensQ", cuSeqlensQ, device);
        indices(op, "cuSeqlensK", cuSeqlensK, device);
        if (cuSeqlensQ.dim(0) == 0) {
            throw Faults.notEmpty(op, "cuSeqlensQ", cuSeqlensQ, 0);
        }
        Check.dim(op, "cuSeqlensK", cuSeqlensK, 0, cuSeqlensQ.dim(0), "dimension 0 of cuSeqlensQ");
        Check.positive(op, "scale", scale);
        prefillApart(op, "out", out, query, key, value, cuSeqlensQ, cuSeqlensK);
        if (lse != null) {
            lse(op, lse, device, query.dim(1), "dimension 1 of query", query.dim(0), "dimension 0 of query");
            Check.apart(op, "lse", lse, "out", out);
            prefillApart(op, "lse", lse, query, key, value, cuSeqlensQ, cuSeqlensK);
        }
    }

    private static void heads(Op<?> op, Tensor out, Tensor query, Tensor key, Tensor value, Device device) {
        Check.dense(op, "out", out, device, 3);
        Check.dense(op, "query", query, device, 3);
        Check.dense(op, "key", key, device, 3);
        Check.dense(op, "value", value, device, 3);
        Check.outFloats(op, "out", out);
        Check.floats(op, "query", query);
        Check.floats(op, "key", key);
        Check.floats(op, "value", value);
        Check.dim(op, "key", key, 1, query.dim(1), "dimension 1 of query");
        Check.dim(op, "key", key, 2, query.dim(2), "dimension 2 of query");
        Check.dim(op, "value", value, 0, key.dim(0), "dimension 0 of key");
        Check.dim(op, "value", value, 1, query.dim(1), "dimension 1 of query");
        Check.dim(op, "out", out, 0, query.dim(0), "dimension 0 of query");
        Check.dim(op, "out", out, 1, query.dim(1), "dimension 1 of query");
        Check.dim(op, "out", out, 2, value.dim(2), "dimension 2 of value");
    }

    private static void prefillApart(
            Op<?> op,
            String argument,
            Tensor t,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor cuSeqlensQ,
            Tensor cuSeqlensK) {
        Check.apart(op, argument, t, "query", query);
        Check.apart(op, argument, t, "key", key);
        Check.apart(op, argument, t, "value", value);
        Check.apart(op, argument, t, "cuSeqlensQ", cuSeqlensQ);
        Check.apart(op, argument, t, "cuSeqlensK", cuSeqlensK);
    }

    static void gather(
            Queue queue,
            Tensor dst,
            Tensor cache,
            Tensor blockTable,
            Tensor cuSeqLens,
            Tensor tokenToSeq,
            @Nullable Tensor seqStarts) {
        Op<GatherMlaCache> op = OpTable.GATHER_MLA_CACHE;
        Device device = Check.device(op, queue);
        Check.dense(op, "dst", dst, device, 2);
        Check.padded(op, "cache", cache, device, 3);
        Check.outFloats(op, "dst", dst);
        Check.floats(op, "cache", cache);
        Check.dim(op, "cache", cache, 2, dst.dim(1), "dimension 1 of dst");
        table(op, blockTable, device);
        indices(op, "cuSeqLens", cuSeqLens, device);
        Check.dim(op, "cuSeqLens", cuSeqLens, 0, blockTable.dim(0) + 1, "1 more than " + OF_REQUESTS);
        indices(op, "tokenToSeq", tokenToSeq, device);
        if (dst.dim(0) < tokenToSeq.dim(0)) {
            throw Faults.of(
                    op, "dst", "dimension 0 to be at least that of tokenToSeq, which is " + tokenToSeq, "" + dst);
        }
        Check.apart(op, "dst", dst, "cache", cache);
        Check.apart(op, "dst", dst, "blockTable", blockTable);
        Check.apart(op, "dst", dst, "cuSeqLens", cuSeqLens);
        Check.apart(op, "dst", dst, "tokenToSeq", tokenToSeq);
        if (seqStarts != null) {
            perRequest(op, "seqStarts", seqStarts, blockTable, device);
            Check.apart(op, "dst", dst, "seqStarts", seqStarts);
        }
    }

    static void concat(Queue queue, Tensor out, Tensor nope, Tensor rope) {
        Op<ConcatMlaNopeRope> op = OpTable.CONCAT_MLA_NOPE_ROPE;
        Device device = Check.device(op, queue);
        Check.stridedOutput(op, "out", out, device);
        Check.strided(op, "nope", nope, device);
        Check.strided(op, "rope", rope, device);
        Check.floats(op, "out", out);
        Check.sameDtype(op, "nope", nope, "out", out);
        Check.sameDtype(op, "rope", rope, "out", out);
        Check.dim(op, "nope", nope, 0, out.dim(0), "dimension 0 of out");
        Check.dim(op, "nope", nope, 1, out.dim(1), "dimension 1 of out");
        Check.dim(op, "rope", rope, 0, out.dim(0), "dimension 0 of out");
        if (rope.dim(1) != 1) {
            Check.dim(op, "rope", rope, 1, out.dim(1), "1 or dimension 1 of out");
        }
        Check.dim(op, "out", out, 2, nope.dim(2) + rope.dim(2), "the widths of nope and rope together");
        Check.apart(op, "out", out, "nope", nope);
        Check.apart(op, "out", out, "rope", rope);
    }
}
