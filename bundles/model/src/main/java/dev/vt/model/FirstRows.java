package dev.vt.model;

import dev.vt.api.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Views of the first rows of one tensor, counted in units, each made once, so that a step allocates none. Owned by the
 * buffers of a workspace; one thread at a time.
 */
final class FirstRows {
    private final Tensor whole;
    private final int unit;
    private final @Nullable Tensor[] views;
    private final @Nullable Tensor[] single;

    FirstRows(Tensor whole) {
        this(whole, 1);
    }

    /** Where one unit is several rows of the tensor, such as the heads of a token. */
    FirstRows(Tensor whole, int unit) {
        this.whole = whole;
        this.unit = unit;
        this.views = new Tensor[Math.toIntExact(whole.dim(0) / unit) + 1];
        this.single = new Tensor[views.length - 1];
    }

    Tensor whole() {
        return whole;
    }

    /** The first {@code units} units. */
    Tensor of(int units) {
        Tensor view = views[units];
        if (view == null) {
            view = whole.rows(0, (long) units * unit);
            views[units] = view;
        }
        return view;
    }

    /** Unit {@code i} alone. */
    Tensor one(int i) {
        Tensor view = single[i];
        if (view == null) {
            view = whole.rows((long) i * unit, (long) (i + 1) * unit);
            single[i] = view;
        }
        return view;
    }
}
