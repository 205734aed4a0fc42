package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.VtException;
import dev.vt.api.tensor.Tensor;

/** Faults of a call that only its data show. They are thrown before the task writes anything. */
final class Faults {
    private Faults() {}

    /** An integer operand whose element {@code index} lies outside {@code low} to {@code high}. */
    static VtException outside(String op, String argument, Tensor tensor, long index, long low, long high, long given) {
        return VtException.invalidArgument("op " + op + " on " + tensor.device() + ": " + argument + "[" + index
                + "]: expected " + low + " to " + high + ", given " + given);
    }
}
