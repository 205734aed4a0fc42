package dev.vt.conformance.mutation;

import static dev.vt.conformance.mutation.Mutant.full;
import static dev.vt.conformance.mutation.Mutant.quick;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.PagedAttention;
import dev.vt.ops.kernel.RmsNorm;
import dev.vt.ops.kernel.RopeFromCache;
import java.util.List;
import java.util.stream.Stream;

/** Faults that kernels have had, one at a time. */
final class Mutants {
    private static final Outcome DECLINED = Outcome.declined("not today");

    private Mutants() {}

    static List<Mutant> all(PagedAttention attention, RmsNorm norm, RopeFromCache rope) {
        return Stream.of(edges(), writes(), numbers(), choices(), memory(), data(), parameters(attention, norm, rope))
                .flatMap(List::stream)
                .toList();
    }

    private static List<Mutant> edges() {
        return List.of(
                quick(
                        "the last tile of columns, which is not full, is taken from a wrong row of weights",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            float sum(Elements a, long row, Elements b, long col) {
                                boolean partial = col >= b.dim(0) / 16 * 16;
                                return super.sum(a, row, b, partial ? Math.max(0, col - 1) : col);
                            }
                        },
                        "expected"),
                quick(
                        "the tail of K behind the last 32 is dropped",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            long terms(long rows, long k) {
                                return k / 32 * 32;
                            }
                        },
                        "expected"),
                full(
                        "the tail of K is dropped in batches of 8 rows and more only",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            long terms(long rows, long k) {
                                return rows < 8 ? k : k / 32 * 32;
                            }
                        },
                        "expected"),
                quick(
                        "rows are taken as dense, though they are padded",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            float left(Elements a, long row, long i) {
                                return a.load(a.at(0)
                                        + (row * a.dim(1) + i) * a.dtype().elementBytes());
                            }
                        },
                        "expected"),
                quick(
                        "the stride of a row is one element too long",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            float left(Elements a, long row, long i) {
                                return a.load(a.at(row * a.dim(1))
                                        + (row + i) * a.dtype().elementBytes());
                            }
                        },
                        "expected"),
                quick(
                        "an address is rounded down to a multiple of 16",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            float read(Elements x, long i) {
                                return x.load(x.at(0) / 16 * 16 + i * x.dtype().elementBytes());
                            }
                        },
                        "expected"),
                quick(
                        "weights are read as [K,N]",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            float sum(Elements a, long row, Elements b, long col) {
                                float sum = 0;
                                for (long i = 0; i < a.dim(1); i++) {
                                    sum += left(a, row, i) * b.get(i * b.dim(0) + col);
                                }
                                return sum;
                            }
                        },
                        "expected"),
                quick(
                        "gate and up are swapped",
                        OpTable.SILU_AND_MUL,
                        new Plain.Gated() {
                            @Override
                            float of(float gate, float up) {
                                return super.of(up, gate);
                            }
                        },
                        "expected"));
    }

    private static List<Mutant> writes() {
        return List.of(
                quick(
                        "writes whole vectors of 8, so past the end",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            void work(Elements out, Elements x) {
                                super.work(out, x);
                                for (long i = out.count(); i % 8 != 0; i++) {
                                    out.store(out.at(0) + i * out.dtype().elementBytes(), 0);
                                }
                            }
                        },
                        "past its end"),
                quick(
                        "writes one element before the start",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            void work(Elements out, Elements x) {
                                super.work(out, x);
                                out.store(out.at(0) - out.dtype().elementBytes(), 0);
                            }
                        },
                        "before it"),
                quick(
                        "writes between padded rows",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            void work(Elements out, Elements a, Elements b) {
                                super.work(out, a, b);
                                for (long row = 1; row < out.dim(0); row++) {
                                    long next = out.at(row * out.dim(1));
                                    if (next
                                            != out.at(row * out.dim(1) - 1)
                                                    + out.dtype().elementBytes()) {
                                        out.store(next - out.dtype().elementBytes(), 0);
                                    }
                                }
                            }
                        },
                        "between its rows"),
                quick(
                        "writes a first element, then declines",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            public Outcome run(Queue queue, Tensor out, Tensor x) {
                                new Elements(out).set(0, 1f);
                                return DECLINED;
                            }
                        },
                        "after it had written"),
                quick(
                        "the last element is never written",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            void write(Elements out, long i, float y) {
                                if (i + 1 < out.count()) {
                                    super.write(out, i, y);
                                }
                            }
                        },
                        "was not written"),
                quick(
                        "an input serves as scratch",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            void work(Elements out, Elements x) {
                                super.work(out, x);
                                x.bits(x.count() / 2, 0);
                            }
                        },
                        "is an input and was written"),
                quick(
                        "adds to what is in the output",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            void write(Elements out, long i, float y) {
                                out.set(i, out.get(i) + y);
                            }
                        },
                        "element"),
                quick(
                        "a skipped slot is written to slot 0",
                        OpTable.RESHAPE_AND_CACHE,
                        new Plain.CacheWrite() {
                            @Override
                            long slot(long given) {
                                return Math.max(0, given);
                            }
                        },
                        "left alone"));
    }

    private static List<Mutant> numbers() {
        return List.of(
                quick(
                        "a NaN is lost in a maximum",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            float of(float x) {
                                return x > 0 ? x : 0;
                            }
                        },
                        "expected NaN"),
                full(
                        "an infinity becomes the largest number",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            float of(float x) {
                                return Math.min(super.of(x), Float.MAX_VALUE);
                            }
                        },
                        "expected Infinity"),
                quick(
                        "bf16 is stored by cutting off",
                        OpTable.CAST_BF16,
                        new Plain.Cast() {
                            @Override
                            void write(Elements out, long i, float y) {
                                out.bits(i, Float.floatToRawIntBits(y) >>> 16);
                            }
                        },
                        "expected"),
                quick(
                        "bf16 is rounded up on a tie",
                        OpTable.CAST_BF16,
                        new Plain.Cast() {
                            @Override
                            void write(Elements out, long i, float y) {
                                boolean nan = Float.isNaN(y);
                                out.bits(i, nan ? 0x7fc0 : Float.floatToRawIntBits(y) + 0x8000 >>> 16);
                            }
                        },
                        "expected"),
                quick(
                        "f16 is read as bf16",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            float read(Elements x, long i) {
                                float value = super.read(x, i);
                                return x.dtype() != DType.F16
                                        ? value
                                        : Float.intBitsToFloat(Float.floatToFloat16(value) << 16);
                            }
                        },
                        "expected"),
                quick(
                        "a sum is kept in bf16",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            float plus(float sum, float product) {
                                return Float.intBitsToFloat(Elements.bf16(sum + product) << 16);
                            }
                        },
                        "expected"),
                quick(
                        "a sum is kept in f16",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            @Override
                            float plus(float sum, float product) {
                                return Float.float16ToFloat(Float.floatToFloat16(sum + product));
                            }
                        },
                        "expected"),
                full(
                        "the variance is a difference of two sums",
                        OpTable.LAYER_NORM,
                        new Plain.Layer() {
                            @Override
                            float variance(Elements x, long from, long n, float mean) {
                                float squares = 0;
                                for (long i = 0; i < n; i++) {
                                    squares += x.get(from + i) * x.get(from + i);
                                }
                                return Math.max(0, squares / n - mean * mean);
                            }
                        },
                        "expected"),
                quick(
                        "the largest element is not taken off before exponentials",
                        OpTable.COMPUTE_PROBS,
                        new Plain.Softmax() {
                            @Override
                            float max(Elements x, long from) {
                                return 0;
                            }
                        },
                        "expected"));
    }

    private static List<Mutant> choices() {
        return List.of(
                quick(
                        "a tie goes to the highest index",
                        OpTable.GREEDY_ARGMAX,
                        new Plain.Argmax() {
                            @Override
                            boolean better(float x, float best) {
                                return !Float.isNaN(best) && !(x < best);
                            }
                        },
                        "expected"),
                quick(
                        "a NaN is passed over",
                        OpTable.GREEDY_ARGMAX,
                        new Plain.Argmax() {
                            @Override
                            boolean better(float x, float best) {
                                return x > best;
                            }
                        },
                        "expected"));
    }

    private static List<Mutant> memory() {
        return List.of(
                quick(
                        "the order of a sum changes from call to call",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            private int calls;

                            @Override
                            void work(Elements out, Elements a, Elements b) {
                                calls++;
                                super.work(out, a, b);
                            }

                            @Override
                            float sum(Elements a, long row, Elements b, long col) {
                                float sum = 0;
                                long n = a.dim(1);
                                for (long j = 0; j < n; j++) {
                                    long i = calls % 2 == 0 ? j : n - 1 - j;
                                    sum += left(a, row, i) * b.get(col * n + i);
                                }
                                return sum;
                            }
                        },
                        "not the same after a second run"),
                quick(
                        "a sum starts with what the last call has left",
                        OpTable.MATMUL_BT,
                        new Plain.Product() {
                            private float left;

                            @Override
                            float sum(Elements a, long row, Elements b, long col) {
                                float sum = super.sum(a, row, b, col) + left;
                                left = row + 1 == a.dim(0) && col + 1 == b.dim(0) ? 1 : 0;
                                return sum;
                            }
                        },
                        "not the same after a second run"),
                full(
                        "a capture holds the data that was there when it was made",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            public Outcome run(Queue queue, Tensor out, Tensor x) {
                                if (!queue.capturing()) {
                                    return super.run(queue, out, x);
                                }
                                Elements from = new Elements(x);
                                float[] data = new float[(int) from.count()];
                                for (int i = 0; i < data.length; i++) {
                                    data[i] = from.get(i);
                                }
                                return Plain.queued(queue, () -> {
                                    Elements to = new Elements(out);
                                    for (int i = 0; i < data.length; i++) {
                                        to.set(i, of(data[i]));
                                    }
                                });
                            }
                        },
                        "not the same after a replayed graph"),
                full(
                        "a replayed graph does a part of the work",
                        OpTable.RELU,
                        new Plain.Map() {
                            @Override
                            public Outcome run(Queue queue, Tensor out, Tensor x) {
                                long rows = queue.capturing() && x.rank() == 2 && x.dim(0) > 1 ? 1 : -1;
                                return rows < 0
                                        ? super.run(queue, out, x)
                                        : super.run(queue, out.rows(0, rows), x.rows(0, rows));
                            }
                        },
                        "not the same after a replayed graph"));
    }

    private static List<Mutant> data() {
        return List.of(
                full(
                        "an id outside the table is moved into it",
                        OpTable.EMBEDDING,
                        new Plain.Gather() {
                            @Override
                            long checked(Elements ids, long t, long rows) {
                                return Math.clamp(ids.integer(t), 0, rows - 1);
                            }
                        },
                        "expected an error"),
                full(
                        "a fault is found when rows before it are written",
                        OpTable.EMBEDDING,
                        new Plain.Gather() {
                            @Override
                            void work(Elements out, Elements table, Elements ids) {
                                copy(out, table, ids);
                            }
                        },
                        "has changed"),
                full(
                        "a wrong id is told without saying which",
                        OpTable.EMBEDDING,
                        new Plain.Gather() {
                            @Override
                            long checked(Elements ids, long t, long rows) {
                                if (ids.integer(t) < 0 || ids.integer(t) >= rows) {
                                    throw VtException.invalidArgument("illegal memory access");
                                }
                                return ids.integer(t);
                            }
                        },
                        "expected an error that says"));
    }

    /** Right kernels that are given a wrong number. */
    private static List<Mutant> parameters(PagedAttention attention, RmsNorm norm, RopeFromCache rope) {
        return List.of(
                quick(
                        "eps is ten times as large",
                        OpTable.RMS_NORM,
                        (q, out, x, w, residual, eps, gemma) -> norm.run(q, out, x, w, residual, 10 * eps, gemma),
                        "expected"),
                quick(
                        "the gemma form is not told from the plain one",
                        OpTable.RMS_NORM,
                        (q, out, x, w, residual, eps, gemma) -> norm.run(q, out, x, w, residual, eps, false),
                        "expected"),
                quick(
                        "pairs are those of the other way",
                        OpTable.ROPE_FROM_CACHE,
                        (q, x, k, table, positions, interleaved, sections) ->
                                rope.run(q, x, k, table, positions, !interleaved, sections),
                        "expected"),
                quick(
                        "a query sees what comes after it",
                        OpTable.PAGED_ATTENTION,
                        changed(attention, p -> new AttentionParams(p.scale(), false, p.window(), p.softCap())),
                        "expected"),
                full(
                        "a window is one token too long",
                        OpTable.PAGED_ATTENTION,
                        changed(
                                attention,
                                p -> new AttentionParams(
                                        p.scale(), p.causal(), p.window() == 0 ? 0 : p.window() + 1, p.softCap())),
                        "expected"),
                full(
                        "the soft cap is left out",
                        OpTable.PAGED_ATTENTION,
                        changed(attention, p -> new AttentionParams(p.scale(), p.causal(), p.window(), 0)),
                        "expected"));
    }

    private interface Change {
        AttentionParams of(AttentionParams params);
    }

    private static PagedAttention changed(PagedAttention kernel, Change change) {
        return (q, out, query, k, v, table, lengths, starts, params) ->
                kernel.run(q, out, query, k, v, table, lengths, starts, change.of(params));
    }
}
