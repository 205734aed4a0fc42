package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;

/** Makes g and beta of a token. Has scratch, so one thread's. */
final class GateRows {
    private final Rows g;
    private final Rows beta;
    private final Rows a;
    private final Rows b;
    private final float[] aLog;
    private final float[] dtBias;
    private final float[] row;

    GateRows(Tensor g, Tensor beta, Tensor a, Tensor b, Tensor aLog, Tensor dtBias) {
        this.g = Rows.of(g);
        this.beta = Rows.of(beta);
        this.a = Rows.of(a);
        this.b = Rows.of(b);
        int heads = (int) g.dim(1);
        this.aLog = new float[heads];
        this.dtBias = new float[heads];
        this.row = new float[heads];
        Rows.of(aLog).read(0, this.aLog);
        Rows.of(dtBias).read(0, this.dtBias);
    }

    void run(long token) {
        a.read(token, row);
        for (int h = 0; h < row.length; h++) {
            row[h] = Gates.g(row[h], aLog[h], dtBias[h]);
        }
        g.write(token, row);
        b.read(token, row);
        for (int h = 0; h < row.length; h++) {
            row[h] = Gates.beta(row[h]);
        }
        beta.write(token, row);
    }
}
