package dev.vt.ops.kernel;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.util.List;

/**
 * A program for {@code fused_chain}: up to 8 steps, each of which makes a row from rows. Slots are numbered: {@link #X},
 * {@link #WEIGHT}, {@link #RESIDUAL}, {@link #OUT} are tensors of the call, four more from {@link #TEMPORARY} on are rows that exist
 * during the call only. A step reads what is given or what an earlier step wrote; the last step writes {@link #OUT}. Immutable, any
 * thread.
 */
public final class Chain {
    /** The input; never written. */
    public static final int X = 0;
    /** The weight, one row for all; never written, and read by normalisations or like an input. */
    public static final int WEIGHT = 1;
    /** Read and written. */
    public static final int RESIDUAL = 2;
    /** The result. */
    public static final int OUT = 3;
    /** The first of the temporary rows. */
    public static final int TEMPORARY = 4;
    /** One more than the last slot. */
    public static final int SLOTS = 8;

    private static final int MAX_STEPS = 8;

    private final List<FusedStep> steps;
    private final List<DType> temporaries;
    private final int used;

    /**
     * A program.
     *
     * @param steps 1 to 8
     * @param temporaries dtypes, f32 or bf16, of the temporary rows from slot 4 on
     * @throws VtException saying which step is wrong
     */
    public Chain(List<FusedStep> steps, List<DType> temporaries) {
        this.steps = List.copyOf(steps);
        this.temporaries = List.copyOf(temporaries);
        if (steps.isEmpty() || steps.size() > MAX_STEPS) {
            throw VtException.invalidArgument("chain: expected 1 to " + MAX_STEPS + " steps, given " + steps.size());
        }
        if (TEMPORARY + temporaries.size() > SLOTS) {
            throw VtException.invalidArgument(
                    "chain: expected at most " + (SLOTS - TEMPORARY) + " temporary rows, given " + temporaries.size());
        }
        for (DType t : temporaries) {
            if (t != DType.F32 && t != DType.BF16) {
                throw VtException.invalidArgument("chain: expected temporary rows of f32 or bf16, given " + t);
            }
        }
        this.used = check();
    }

    private int check() {
        int readable = 1 << X | 1 << WEIGHT | 1 << RESIDUAL;
        int all = 0;
        for (int i = 0; i < steps.size(); i++) {
            FusedStep step = steps.get(i);
            if (!step.code().chained() || step.form() == FusedStep.Form.CHOSEN) {
                throw fault(i, "a code that works row by row, in a given form");
            }
            for (int slot : step.inputs()) {
                check(i, slot, readable, "what is given or was written before");
                all |= 1 << slot;
            }
            for (int slot : step.weights()) {
                check(i, slot, 1 << WEIGHT, "the weight's slot");
                all |= 1 << slot;
            }
            int out = step.outputs().getFirst();
            check(i, out, 1 << RESIDUAL | 1 << OUT | (1 << temporaries.size()) - 1 << TEMPORARY, "a slot to write");
            readable |= 1 << out;
            all |= 1 << out;
        }
        if (steps.getLast().outputs().getFirst() != OUT) {
            throw fault(steps.size() - 1, "the result to go to slot " + OUT);
        }
        return all;
    }

    private static void check(int step, int slot, int allowed, String expected) {
        if (slot < 0 || slot >= SLOTS || (allowed & 1 << slot) == 0) {
            throw fault(step, expected + " instead of slot " + slot);
        }
    }

    private static VtException fault(int step, String expected) {
        return VtException.invalidArgument("chain: step " + step + ": expected " + expected);
    }

    /** The steps in order. */
    public List<FusedStep> steps() {
        return steps;
    }

    /** Dtypes of the temporary rows. */
    public List<DType> temporaries() {
        return temporaries;
    }

    /** True when a step reads or writes the slot. */
    public boolean uses(int slot) {
        return (used & 1 << slot) != 0;
    }

    /** True when a step writes the slot. */
    public boolean writes(int slot) {
        return steps.stream().anyMatch(s -> s.outputs().contains(slot));
    }

    /** The steps' codes and slots. */
    @Override
    public String toString() {
        StringBuilder s = new StringBuilder("chain");
        for (FusedStep step : steps) {
            s.append(s.length() == 5 ? " " : ", ").append(step.code());
            s.append(step.inputs()).append(step.weights()).append("->").append(step.outputs());
        }
        return s.toString();
    }
}
