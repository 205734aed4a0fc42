package dev.vt.ops.fusion;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Steps that belong together, as data: at most 8, over at most 8 slots, a step with at most 3 inputs. {@link Recipes} has all there
 * are. Immutable, any thread.
 */
public final class Recipe {
    private static final int MAX_STEPS = 8;
    private static final int MAX_SLOTS = 8;
    private static final List<String> CHAINED = List.of("x", "weight", "residual", "out");

    private final String name;
    private final List<Slot> slots;
    private final List<FusedStep> steps;
    private final @Nullable Op<?> fastOp;
    private final @Nullable Chain chain;

    Recipe(String name, @Nullable Op<?> fastOp, List<Slot> slots, List<FusedStep> steps) {
        this.name = name;
        this.fastOp = fastOp;
        this.slots = List.copyOf(slots);
        this.steps = List.copyOf(steps);
        if (slots.size() > MAX_SLOTS || steps.isEmpty() || steps.size() > MAX_STEPS) {
            throw VtException.invalidArgument("recipe " + name + ": expected 1 to " + MAX_STEPS + " steps and at most "
                    + MAX_SLOTS + " slots, given " + steps.size() + " and " + slots.size());
        }
        steps.forEach(this::check);
        this.chain = chainOf(slots, steps);
    }

    private void check(FusedStep step) {
        List<Integer> all = new ArrayList<>(step.inputs());
        all.addAll(step.weights());
        all.addAll(step.outputs());
        for (int slot : all) {
            if (slot < 0 || slot >= slots.size()) {
                throw VtException.invalidArgument(
                        "recipe " + name + ": step " + step.code() + " names slot " + slot + ", and there is none");
            }
        }
        for (int slot : step.outputs()) {
            if (!slots.get(slot).written()) {
                throw VtException.invalidArgument("recipe " + name + ": step " + step.code() + " writes "
                        + slots.get(slot).name() + ", which is an input");
            }
        }
    }

    /** A program for the interpreter, where every step works row by row and the slots are those of a chain. */
    private static @Nullable Chain chainOf(List<Slot> slots, List<FusedStep> steps) {
        boolean rows = steps.stream().allMatch(s -> s.code().chained() && s.form() != FusedStep.Form.CHOSEN);
        boolean four = slots.stream().map(Slot::name).toList().equals(CHAINED);
        return rows && four ? new Chain(steps, List.of()) : null;
    }

    public String name() {
        return name;
    }

    /** The tensors that it needs, in the order of their numbers. */
    public List<Slot> slots() {
        return slots;
    }

    public List<FusedStep> steps() {
        return steps;
    }

    /** The op that does all of it at once, where there is one. */
    public Optional<Op<?>> fastOp() {
        return Optional.ofNullable(fastOp);
    }

    /** The program for {@code fused_chain}, where it can run the recipe. */
    public Optional<Chain> chain() {
        return Optional.ofNullable(chain);
    }

    @Nullable
    Op<?> fast() {
        return fastOp;
    }

    @Nullable
    Chain program() {
        return chain;
    }

    /** Starts to put tensors in. */
    public FusedCall.Builder bind() {
        return new FusedCall.Builder(this);
    }

    /** Number of a slot. */
    int slot(String slot) {
        for (int i = 0; i < slots.size(); i++) {
            if (slots.get(i).name().equals(slot)) {
                return i;
            }
        }
        throw VtException.invalidArgument("recipe " + name + ": expected one of "
                + slots.stream().map(Slot::name).toList() + ", given '" + slot + "'");
    }

    @Override
    public String toString() {
        return name;
    }
}
