package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.PagedAttention;
import dev.vt.ops.kernel.ReshapeAndCache;

/** Contracts of the paged key/value cache and of attention over it. */
final class AttentionChecks {
    private AttentionChecks() {}

    static void reshapeAndCache(Queue queue, Tensor k, Tensor v, Tensor kCache, Tensor vCache, Tensor slotMapping) {
        Op<ReshapeAndCache> op = OpTable.RESHAPE_AND_CACHE;
        Device device = Check.device(op, queue);
        Check.dense(op, "k", k, device, 3);
        Check.dense(op, "v", v, device, 3);
        Check.floats(op, "k", k);
        Check.sameDtype(op, "v", v, "k", k);
        Check.sameShape(op, "v", v, "k", k);
        caches(op, kCache, vCache, device);
        Check.outFloats(op, "kCache", kCache);
        Check.dim(op, "kCache", kCache, 2, k.dim(1), "dimension 1 of k");
        Check.dim(op, "kCache", kCache, 3, k.dim(2), "dimension 2 of k");
        Check.dense(op, "slotMapping", slotMapping, device, 1);
        Check.dtype(op, "slotMapping", slotMapping, DType.I64);
        Check.dim(op, "slotMapping", slotMapping, 0, k.dim(0), "dimension 0 of k");
        Check.apart(op, "kCache", kCache, "vCache", vCache);
        cacheApart(op, "kCache", kCache, k, v, slotMapping);
        cacheApart(op, "vCache", vCache, k, v, slotMapping);
    }

    private static void cacheApart(Op<?> op, String argument, Tensor cache, Tensor k, Tensor v, Tensor slotMapping) {
        Check.apart(op, argument, cache, "k", k);
        Check.apart(op, argument, cache, "v", v);
        Check.apart(op, argument, cache, "slotMapping", slotMapping);
    }

    private static void caches(Op<?> op, Tensor kCache, Tensor vCache, Device device) {
        Check.padded(op, "kCache", kCache, device, 4);
        Check.padded(op, "vCache", vCache, device, 4);
        Check.sameDtype(op, "vCache", vCache, "kCache", kCache);
        Check.sameShape(op, "vCache", vCache, "kCache", kCache);
    }

    static void pagedAttention(
            Queue queue,
            Tensor out,
            Tensor query,
            Tensor kCache,
            Tensor vCache,
            Tensor blockTable,
            Tensor seqLens,
            Tensor queryStartLoc,
            AttentionParams params) {
        Op<PagedAttention> op = OpTable.PAGED_ATTENTION;
        Device device = Check.device(op, queue);
        Check.dense(op, "out", out, device, 3);
        Check.dense(op, "query", query, device, 3);
        Check.outFloats(op, "out", out);
        Check.floats(op, "query", query);
        Check.sameShape(op, "out", out, "query", query);
        caches(op, kCache, vCache, device);
        Check.floats(op, "kCache", kCache);
        Check.dim(op, "kCache", kCache, 3, query.dim(2), "dimension 2 of query");
        heads(op, query, kCache);
        requests(op, blockTable, seqLens, queryStartLoc, device);
        params(op, params);
        outApart(op, out, query, kCache, vCache);
        Check.apart(op, "out", out, "blockTable", blockTable);
        Check.apart(op, "out", out, "seqLens", seqLens);
        Check.apart(op, "out", out, "queryStartLoc", queryStartLoc);
    }

    private static void outApart(Op<?> op, Tensor out, Tensor query, Tensor kCache, Tensor vCache) {
        Check.apart(op, "out", out, "query", query);
        Check.apart(op, "out", out, "kCache", kCache);
        Check.apart(op, "out", out, "vCache", vCache);
    }

    private static void heads(Op<?> op, Tensor query, Tensor kCache) {
        long heads = query.dim(1);
        long kvHeads = kCache.dim(2);
        if (heads != kvHeads && (kvHeads == 0 || heads % kvHeads != 0)) {
            throw Faults.of(
                    op,
                    "query",
                    "dimension 1 to be a multiple of dimension 2 of kCache, which is " + kCache,
                    "" + query);
        }
    }

    private static void requests(Op<?> op, Tensor blockTable, Tensor seqLens, Tensor queryStartLoc, Device device) {
        Check.dense(op, "blockTable", blockTable, device, 2);
        Check.dense(op, "seqLens", seqLens, device, 1);
        Check.dense(op, "queryStartLoc", queryStartLoc, device, 1);
        Check.dtype(op, "blockTable", blockTable, DType.I32);
        Check.dtype(op, "seqLens", seqLens, DType.I32);
        Check.dtype(op, "queryStartLoc", queryStartLoc, DType.I32);
        Check.dim(op, "seqLens", seqLens, 0, blockTable.dim(0), "dimension 0 of blockTable");
        Check.dim(
                op, "queryStartLoc", queryStartLoc, 0, blockTable.dim(0) + 1, "1 more than dimension 0 of blockTable");
    }

    private static void params(Op<?> op, AttentionParams p) {
        if (p == null) {
            throw Faults.missing(op, "params", "the numbers of the call");
        }
        Check.positive(op, "params (scale)", p.scale());
        if (p.window() < 0) {
            throw Faults.of(op, "params (window)", "0 or more", "" + p.window());
        }
        if (!(p.softCap() >= 0 && p.softCap() <= Float.MAX_VALUE)) {
            throw Faults.of(op, "params (softCap)", "a finite number above 0, or 0 for none", "" + p.softCap());
        }
    }
}
