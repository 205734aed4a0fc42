package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;

/** Bounds of sequences that lie one after the other: sequence r owns rows {@code get(r)} to {@code get(r + 1)}. */
final class StartLocs {
    private StartLocs() {}

    /** Reads them, or throws if one is below the one before or above {@code rows}. */
    static int[] read(String op, String argument, Tensor tensor, long rows) {
        Ints given = new Ints(tensor);
        int[] starts = new int[Math.toIntExact(tensor.elements())];
        int previous = 0;
        for (int r = 0; r < starts.length; r++) {
            given.check(op, argument, r, r + 1, previous, rows);
            starts[r] = (int) given.get(r);
            previous = starts[r];
        }
        return starts;
    }
}
