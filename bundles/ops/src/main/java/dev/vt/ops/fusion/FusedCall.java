package dev.vt.ops.fusion;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.ScaleLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A recipe with its tensors and numbers, made once and run often. No tensor that is written shares a range of bytes with another, so
 * that every realisation reads the same. Immutable but for a note of what was checked; any thread.
 */
public final class FusedCall {
    private final Recipe recipe;
    private final Tensor[] tensors;
    private final Tensor[] rows;
    private final float eps;
    private final boolean gemma;
    private final boolean sigmoid;
    private final boolean interleaved;
    private final float scale;
    private final float globalScale;
    private final ScaleLayout layout;
    // Two threads may both check; they find the same.
    private volatile @Nullable Device checked;

    private FusedCall(Builder b) {
        recipe = b.recipe;
        tensors = new Tensor[recipe.slots().size()];
        rows = new Tensor[tensors.length];
        for (int i = 0; i < tensors.length; i++) {
            tensors[i] = required(b, i);
            rows[i] = asRows(tensors[i]);
        }
        eps = b.eps;
        gemma = b.gemma;
        sigmoid = b.sigmoid;
        interleaved = b.interleaved;
        scale = b.scale;
        globalScale = b.globalScale;
        layout = b.layout;
        checkApart();
    }

    private static Tensor required(Builder b, int i) {
        Slot slot = b.recipe.slots().get(i);
        Tensor t = b.tensors.get(i);
        if (t == null) {
            throw fault(b.recipe, slot, "a tensor", "none");
        }
        if (slot.role() == Slot.Role.SCRATCH && t.dtype() != DType.BF16) {
            throw fault(b.recipe, slot, "dtype bf16", "" + t);
        }
        return t;
    }

    /** Rank 3 as the rows of its last dimension, which is how ops of matrices see heads. */
    private static Tensor asRows(Tensor t) {
        return t.rank() == 3 && t.contiguous() ? t.reshape(t.dim(0) * t.dim(1), t.dim(2)) : t;
    }

    private void checkApart() {
        for (int i = 0; i < tensors.length; i++) {
            for (int j = 0; j < tensors.length; j++) {
                if (i != j && recipe.slots().get(i).written() && tensors[i].overlaps(tensors[j])) {
                    String other = recipe.slots().get(j).name();
                    throw fault(
                            recipe, recipe.slots().get(i), "memory apart from that of " + other, tensors[i] + " in it");
                }
            }
        }
    }

    private static VtException fault(Recipe recipe, Slot slot, String expected, String given) {
        return VtException.invalidArgument(
                recipe + ": argument " + slot.name() + ": expected " + expected + ", given " + given);
    }

    public Recipe recipe() {
        return recipe;
    }

    /** The tensor of a slot. */
    public Tensor tensor(String slot) {
        return tensors[recipe.slot(slot)];
    }

    Tensor tensor(int slot) {
        return tensors[slot];
    }

    /** The tensor of a slot as a matrix. */
    Tensor rows(int slot) {
        return rows[slot];
    }

    float eps() {
        return eps;
    }

    boolean gemma() {
        return gemma;
    }

    boolean sigmoid() {
        return sigmoid;
    }

    boolean interleaved() {
        return interleaved;
    }

    float scale() {
        return scale;
    }

    float globalScale() {
        return globalScale;
    }

    ScaleLayout layout() {
        return layout;
    }

    boolean checkedFor(Device device) {
        return device.equals(checked);
    }

    void markChecked(Device device) {
        checked = device;
    }

    /** Collects what a recipe needs; one thread. */
    public static final class Builder {
        private final Recipe recipe;
        private final List<@Nullable Tensor> tensors = new ArrayList<>();
        private float eps = 1e-6f;
        private boolean gemma;
        private boolean sigmoid;
        private boolean interleaved;
        private float scale = 1f;
        private float globalScale = 1f;
        private ScaleLayout layout = ScaleLayout.LINEAR;

        Builder(Recipe recipe) {
            this.recipe = recipe;
            recipe.slots().forEach(s -> tensors.add(null));
        }

        /** Puts a tensor in a slot. */
        public Builder tensor(String slot, Tensor tensor) {
            tensors.set(recipe.slot(slot), tensor);
            return this;
        }

        /** Of normalisations; 1e-6 at first. */
        public Builder eps(float value) {
            eps = value;
            return this;
        }

        /** Normalisations multiply by 1 + weight, where the recipe leaves that free. */
        public Builder gemma(boolean value) {
            gemma = value;
            return this;
        }

        /** Gated normalisations use the sigmoid in the place of silu. */
        public Builder sigmoid(boolean value) {
            sigmoid = value;
            return this;
        }

        /** Rotations pair elements 2i and 2i + 1. */
        public Builder interleaved(boolean value) {
            interleaved = value;
            return this;
        }

        /** What a quantisation to fp8 divides by; 1 at first. */
        public Builder scale(float value) {
            scale = value;
            return this;
        }

        /** What a quantisation to fp4 multiplies block scales with, and where it puts them; 1 and linear at first. */
        public Builder blockScales(float global, ScaleLayout order) {
            globalScale = global;
            layout = order;
            return this;
        }

        /** The call; throws where a tensor is missing or shares memory with one that is written. */
        public FusedCall build() {
            return new FusedCall(this);
        }
    }
}
