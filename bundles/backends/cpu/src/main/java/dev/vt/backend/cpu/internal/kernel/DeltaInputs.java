package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;

/** What a head of the gated delta rule reads for a token. Threads may share it. */
interface DeltaInputs {
    /** The query and the key that a value head works with. */
    void read(long token, long head, float[] q, float[] k);

    /** Elements {@code from} to {@code from + n} of the value. */
    void value(long token, long head, long from, int n, float[] v);

    /** What the state is multiplied with, as a logarithm. */
    float g(long token, long head);

    float beta(long token, long head);

    /** Each of them in a tensor of its own. */
    record Separate(Rows q, Rows k, Rows v, Rows g, Rows beta, long keyHeads, long heads) implements DeltaInputs {
        static Separate of(Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta) {
            return new Separate(Rows.of(q), Rows.of(k), Rows.of(v), Rows.of(g), Rows.of(beta), q.dim(1), v.dim(1));
        }

        @Override
        public void read(long token, long head, float[] toQ, float[] toK) {
            long row = token * keyHeads + head / (heads / keyHeads);
            q.read(row, toQ);
            k.read(row, toK);
        }

        @Override
        public void value(long token, long head, long from, int n, float[] to) {
            v.read(token * heads + head, from, n, to, 0);
        }

        @Override
        public float g(long token, long head) {
            return g.get(token, head);
        }

        @Override
        public float beta(long token, long head) {
            return beta.get(token, head);
        }
    }

    /** As the convolution and the projections give them: q and k are not normalised, g and beta not made yet. */
    record Packed(Rows qkv, Rows a, Rows b, Rows aLog, Rows dtBias, long heads, long dim, long keys, float eps)
            implements DeltaInputs {
        /** {@code keys} is the width of all key heads together. */
        static Packed of(
                Tensor mixedQkv, Tensor a, Tensor b, Tensor aLog, Tensor dtBias, Tensor out, long keys, float eps) {
            return new Packed(
                    Rows.of(mixedQkv),
                    Rows.of(a),
                    Rows.of(b),
                    Rows.of(aLog),
                    Rows.of(dtBias),
                    out.dim(1),
                    out.dim(2),
                    keys,
                    eps);
        }

        @Override
        public void read(long token, long head, float[] toQ, float[] toK) {
            if (keys == 0) {
                return;
            }
            int n = toQ.length;
            long at = head / (heads / (keys / n)) * n;
            qkv.read(token, at, n, toQ, 0);
            qkv.read(token, keys + at, n, toK, 0);
            Gates.unit(toQ, eps);
            Gates.unit(toK, eps);
        }

        @Override
        public void value(long token, long head, long from, int n, float[] to) {
            qkv.read(token, 2 * keys + head * dim + from, n, to, 0);
        }

        @Override
        public float g(long token, long head) {
            return Gates.g(a.get(token, head), aLog.get(0, head), dtBias.get(0, head));
        }

        @Override
        public float beta(long token, long head) {
            return Gates.beta(b.get(token, head));
        }
    }
}
