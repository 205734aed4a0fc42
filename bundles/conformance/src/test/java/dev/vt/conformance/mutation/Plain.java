package dev.vt.conformance.mutation;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Embedding;
import dev.vt.ops.kernel.GreedyArgmax;
import dev.vt.ops.kernel.LayerNorm;
import dev.vt.ops.kernel.Matmul;
import dev.vt.ops.kernel.ReshapeAndCache;
import dev.vt.ops.kernel.Unary;
import org.jspecify.annotations.Nullable;

/** Kernels as plain as they can be, cut into steps. As they are here they are right; a mutant overrides one step. */
final class Plain {
    private Plain() {}

    static Outcome queued(Queue queue, Runnable work, Tensor... used) {
        CpuQueue cpu = (CpuQueue) queue;
        cpu.uses(used);
        cpu.submit(workers -> work.run());
        return Outcome.SERVED;
    }

    /** {@code matmul_bt}. */
    static class Product implements Matmul {
        @Override
        public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
            return queued(queue, () -> work(new Elements(out), new Elements(a), new Elements(b)), out, a, b);
        }

        void work(Elements out, Elements a, Elements b) {
            for (long row = 0; row < out.dim(0); row++) {
                for (long col = 0; col < out.dim(1); col++) {
                    out.set(row * out.dim(1) + col, sum(a, row, b, col));
                }
            }
        }

        float sum(Elements a, long row, Elements b, long col) {
            float sum = 0;
            for (long i = 0; i < terms(a.dim(0), a.dim(1)); i++) {
                sum = plus(sum, left(a, row, i) * b.get(col * a.dim(1) + i));
            }
            return sum;
        }

        long terms(long rows, long k) {
            return k;
        }

        float left(Elements a, long row, long i) {
            return a.get(row * a.dim(1) + i);
        }

        float plus(float sum, float product) {
            return sum + product;
        }
    }

    /** Element by element: {@code relu}, and the casts with another function. */
    static class Map implements Unary {
        @Override
        public Outcome run(Queue queue, Tensor out, Tensor x) {
            return queued(queue, () -> work(new Elements(out), new Elements(x)), out, x);
        }

        void work(Elements out, Elements x) {
            for (long i = 0; i < x.count(); i++) {
                write(out, i, of(read(x, i)));
            }
        }

        float read(Elements x, long i) {
            return x.get(i);
        }

        float of(float x) {
            return Math.max(x, 0);
        }

        void write(Elements out, long i, float y) {
            out.set(i, y);
        }
    }

    /** {@code cast_bf16}. */
    static class Cast extends Map {
        @Override
        float of(float x) {
            return x;
        }
    }

    /** {@code silu_and_mul}. */
    static class Gated implements Unary {
        @Override
        public Outcome run(Queue queue, Tensor out, Tensor x) {
            return queued(queue, () -> work(new Elements(out), new Elements(x)), out, x);
        }

        private void work(Elements out, Elements x) {
            for (long i = 0; i < out.count(); i++) {
                long gate = i / out.dim(1) * 2 * out.dim(1) + i % out.dim(1);
                out.set(i, of(x.get(gate), x.get(gate + out.dim(1))));
            }
        }

        float of(float gate, float up) {
            return (float) (gate / (1 + Math.exp(-gate))) * up;
        }
    }

    /** {@code greedy_argmax}. */
    static class Argmax implements GreedyArgmax {
        @Override
        public Outcome run(Queue queue, Tensor tokenIds, Tensor logits) {
            return queued(queue, () -> work(new Elements(tokenIds), new Elements(logits)), tokenIds, logits);
        }

        private void work(Elements ids, Elements x) {
            for (long row = 0; row < ids.count(); row++) {
                long best = 0;
                for (long i = 1; i < x.dim(1); i++) {
                    best = better(x.get(row * x.dim(1) + i), x.get(row * x.dim(1) + best)) ? i : best;
                }
                ids.set(row, best);
            }
        }

        boolean better(float x, float best) {
            return !Float.isNaN(best) && !(x <= best);
        }
    }

    /** {@code embedding} of tables that are not encoded. */
    static class Gather implements Embedding {
        @Override
        public Outcome run(Queue queue, Tensor out, Tensor table, Tensor ids) {
            if (table.dtype().isBlock()) {
                return ENCODED;
            }
            return queued(
                    queue, () -> work(new Elements(out), new Elements(table), new Elements(ids)), out, table, ids);
        }

        private static final Outcome ENCODED = Outcome.declined("the table is encoded");

        void work(Elements out, Elements table, Elements ids) {
            for (long t = 0; t < ids.count(); t++) {
                checked(ids, t, table.dim(0));
            }
            copy(out, table, ids);
        }

        void copy(Elements out, Elements table, Elements ids) {
            long h = table.dim(1);
            for (long i = 0; i < out.count(); i++) {
                out.set(i, table.get(checked(ids, i / h, table.dim(0)) * h + i % h));
            }
        }

        long checked(Elements ids, long t, long rows) {
            long id = ids.integer(t);
            if (id < 0 || id >= rows) {
                throw VtException.invalidArgument("ids[" + t + "]: expected 0 to " + (rows - 1) + ", given " + id);
            }
            return id;
        }
    }

    /** {@code reshape_and_cache}. */
    static class CacheWrite implements ReshapeAndCache {
        @Override
        public Outcome run(Queue queue, Tensor k, Tensor v, Tensor kCache, Tensor vCache, Tensor slotMapping) {
            return queued(
                    queue,
                    () -> {
                        work(new Elements(k), new Elements(kCache), new Elements(slotMapping));
                        work(new Elements(v), new Elements(vCache), new Elements(slotMapping));
                    },
                    k,
                    v,
                    kCache,
                    vCache,
                    slotMapping);
        }

        private void work(Elements rows, Elements cache, Elements slots) {
            long n = rows.dim(1) * rows.dim(2);
            for (long t = 0; t < slots.count(); t++) {
                if (slots.integer(t) >= cache.dim(0) * cache.dim(1)) {
                    throw VtException.invalidArgument("slotMapping[" + t + "]: given " + slots.integer(t));
                }
            }
            for (long t = 0; t < slots.count(); t++) {
                long slot = slot(slots.integer(t));
                for (long i = 0; slot >= 0 && i < n; i++) {
                    cache.set(slot * n + i, rows.get(t * n + i));
                }
            }
        }

        long slot(long given) {
            return given;
        }
    }

    /** {@code layer_norm}. */
    static class Layer implements LayerNorm {
        @Override
        public Outcome run(
                Queue queue, Tensor out, Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, float eps) {
            return queued(queue, () -> {
                Elements w = weight == null ? null : new Elements(weight);
                Elements b = bias == null ? null : new Elements(bias);
                work(new Elements(out), new Elements(x), w, b, x.lastDim(), eps);
            });
        }

        private void work(Elements out, Elements x, @Nullable Elements w, @Nullable Elements b, long n, float eps) {
            for (long from = 0; n > 0 && from < x.count(); from += n) {
                float mean = 0;
                for (long i = 0; i < n; i++) {
                    mean += x.get(from + i) / n;
                }
                double inverse = 1 / Math.sqrt(variance(x, from, n, mean) + eps);
                for (long i = 0; i < n; i++) {
                    float y = (float) ((x.get(from + i) - mean) * inverse);
                    out.set(from + i, y * (w == null ? 1 : w.get(i)) + (b == null ? 0 : b.get(i)));
                }
            }
        }

        float variance(Elements x, long from, long n, float mean) {
            float sum = 0;
            for (long i = 0; i < n; i++) {
                sum += (x.get(from + i) - mean) * (x.get(from + i) - mean);
            }
            return sum / n;
        }
    }

    /** {@code compute_probs}. */
    static class Softmax implements Unary {
        @Override
        public Outcome run(Queue queue, Tensor out, Tensor x) {
            return queued(queue, () -> work(new Elements(out), new Elements(x)), out, x);
        }

        private void work(Elements out, Elements x) {
            for (long row = 0; row < x.dim(0); row++) {
                float max = max(x, row * x.dim(1));
                double sum = 0;
                for (long i = 0; i < x.dim(1); i++) {
                    sum += Math.exp((double) x.get(row * x.dim(1) + i) - max);
                }
                for (long i = row * x.dim(1); i < (row + 1) * x.dim(1); i++) {
                    out.set(i, (float) (Math.exp((double) x.get(i) - max) / sum));
                }
            }
        }

        float max(Elements x, long from) {
            float max = Float.NEGATIVE_INFINITY;
            for (long i = 0; i < x.dim(1); i++) {
                max = Math.max(max, x.get(from + i));
            }
            return max;
        }
    }
}
