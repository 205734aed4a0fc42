package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;

/** Elements of a matrix that two vectors name, by row and by column. Holds no state but the views. */
final class Places {
    private final String op;
    private final Rows matrix;
    private final Ints rows;
    private final Ints cols;
    private final long count;

    Places(String op, Rows matrix, Tensor rows, Tensor cols) {
        this.op = op;
        this.matrix = matrix;
        this.rows = new Ints(rows);
        this.cols = new Ints(cols);
        this.count = rows.elements();
    }

    /** Looks at a place. */
    @FunctionalInterface
    interface Visitor {
        void visit(long index, long row, long col);
    }

    /** Throws unless all places lie in the matrix. */
    void check() {
        rows.check(op, "rows", 0, count, 0, matrix.rows() - 1);
        cols.check(op, "cols", 0, count, 0, matrix.cols() - 1);
    }

    void forEach(Visitor visitor) {
        for (long i = 0; i < count; i++) {
            visitor.visit(i, rows.get(i), cols.get(i));
        }
    }
}
