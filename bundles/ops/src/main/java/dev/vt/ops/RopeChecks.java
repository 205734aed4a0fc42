package dev.vt.ops;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import dev.vt.ops.kernel.RopeFrequencies.Llama3Scaling;
import org.jspecify.annotations.Nullable;

/** Contracts of the rotary embeddings. */
final class RopeChecks {
    private RopeChecks() {}

    static void neox(
            Queue queue,
            Tensor q,
            Tensor k,
            Tensor positions,
            RopeFrequencies frequencies,
            @Nullable MropeSections sections) {
        Op<?> op = OpTable.ROPE_NEOX;
        Device device = Check.device(op, queue);
        Check.dense(op, "q", q, device, 3);
        Check.dense(op, "k", k, device, 3);
        Check.outFloats(op, "q", q);
        positions(op, positions, sections, q, device);
        Check.apart(op, "q", q, "positions", positions);
        keys(op, q, k);
        Check.apart(op, "k", k, "positions", positions);
        frequencies(op, frequencies);
        if (frequencies.rotaryDim() > q.dim(2)) {
            throw Faults.of(
                    op,
                    "frequencies",
                    "a rotaryDim of at most dimension 2 of q, which is " + q,
                    "" + frequencies.rotaryDim());
        }
        if (sections != null) {
            sections(
                    op, sections, frequencies.rotaryDim(), "half of rotaryDim of frequencies, which is " + frequencies);
        }
    }

    static void cosSinCache(
            Queue queue, Tensor cosSin, Tensor positions, RopeFrequencies frequencies, @Nullable Tensor factors) {
        Op<?> op = OpTable.ROPE_COS_SIN_CACHE;
        Device device = Check.device(op, queue);
        Check.dense(op, "cosSin", cosSin, device, 2);
        Check.dtype(op, "cosSin", cosSin, DType.F32);
        positions(op, positions, cosSin.dim(0), "dimension 0 of cosSin", device);
        Check.apart(op, "cosSin", cosSin, "positions", positions);
        frequencies(op, frequencies);
        Check.dim(op, "cosSin", cosSin, 1, frequencies.rotaryDim(), "rotaryDim of frequencies");
        if (factors != null) {
            Check.dense(op, "factors", factors, device, 1);
            Check.dtype(op, "factors", factors, DType.F32);
            Check.dim(op, "factors", factors, 0, frequencies.rotaryDim() / 2, "half of rotaryDim of frequencies");
            Check.apart(op, "cosSin", cosSin, "factors", factors);
        }
    }

    static void fromCache(
            Queue queue,
            Tensor q,
            @Nullable Tensor k,
            Tensor cosSin,
            Tensor positions,
            @Nullable MropeSections sections) {
        Op<?> op = OpTable.ROPE_FROM_CACHE;
        Device device = Check.device(op, queue);
        Check.padded(op, "q", q, device, 3);
        Check.outFloats(op, "q", q);
        Check.dense(op, "cosSin", cosSin, device, 2);
        Check.dtype(op, "cosSin", cosSin, DType.F32);
        rotaryWidth(op, cosSin, "q", q);
        if (sections != null) {
            sections(op, sections, cosSin.dim(1), "half of dimension 1 of cosSin, which is " + cosSin);
        }
        positions(op, positions, sections, q, device);
        Check.apart(op, "q", q, "cosSin", cosSin);
        Check.apart(op, "q", q, "positions", positions);
        if (k != null) {
            Check.padded(op, "k", k, device, 3);
            keys(op, q, k);
            Check.apart(op, "k", k, "cosSin", cosSin);
            Check.apart(op, "k", k, "positions", positions);
        }
    }

    private static void sections(Op<?> op, MropeSections s, long rotary, String half) {
        boolean counts = s.temporal() >= 0 && s.height() >= 0 && s.width() >= 0;
        if (!counts || s.start(MropeSections.AXES) != rotary / 2) {
            throw Faults.of(op, "sections", "numbers of 0 or more that add up to " + half, "" + s);
        }
    }

    private static void keys(Op<?> op, Tensor q, Tensor k) {
        Check.sameDtype(op, "k", k, "q", q);
        Check.dim(op, "k", k, 0, q.dim(0), "dimension 0 of q");
        Check.dim(op, "k", k, 2, q.dim(2), "dimension 2 of q");
        Check.apart(op, "k", k, "q", q);
    }

    /** One position for each row of q, or three of them where there are sections. */
    private static void positions(
            Op<?> op, Tensor positions, @Nullable MropeSections sections, Tensor q, Device device) {
        if (sections == null) {
            positions(op, positions, q.dim(0), "dimension 0 of q", device);
            return;
        }
        Check.dense(op, "positions", positions, device, 2);
        Check.ids(op, "positions", positions);
        Check.dim(op, "positions", positions, 0, MropeSections.AXES, "time, height and width");
        Check.dim(op, "positions", positions, 1, q.dim(0), "dimension 0 of q");
    }

    private static void positions(Op<?> op, Tensor positions, long rows, String why, Device device) {
        Check.dense(op, "positions", positions, device, 1);
        Check.ids(op, "positions", positions);
        Check.dim(op, "positions", positions, 0, rows, why);
    }

    /** A table of angles is as wide as the part of a head that is rotated. */
    static void rotaryWidth(Op<?> op, Tensor cosSin, String headsName, Tensor heads) {
        long rotary = cosSin.dim(1);
        if (rotary <= 0 || (rotary & 1) != 0 || rotary > heads.dim(2)) {
            throw Faults.of(
                    op,
                    "cosSin",
                    "dimension 1 to be even, above 0 and at most dimension 2 of " + headsName + ", which is " + heads,
                    "" + cosSin);
        }
    }

    private static void frequencies(Op<?> op, RopeFrequencies f) {
        if (f == null) {
            throw Faults.missing(op, "frequencies", "frequencies");
        }
        if (f.rotaryDim() <= 0 || (f.rotaryDim() & 1) != 0) {
            throw Faults.of(op, "frequencies", "an even rotaryDim above 0", "" + f.rotaryDim());
        }
        Check.positive(op, "frequencies (base)", f.base());
        Check.positive(op, "frequencies (linearScale)", f.linearScale());
        if (f.llama3() != null) {
            llama3(op, f.llama3());
        }
    }

    private static void llama3(Op<?> op, Llama3Scaling s) {
        Check.positive(op, "frequencies (llama3 factor)", s.factor());
        Check.positive(op, "frequencies (llama3 lowFrequencyFactor)", s.lowFrequencyFactor());
        Check.positive(op, "frequencies (llama3 highFrequencyFactor)", s.highFrequencyFactor());
        Check.positive(op, "frequencies (llama3 originalContext)", (double) s.originalContext());
        if (s.highFrequencyFactor() <= s.lowFrequencyFactor()) {
            throw Faults.of(op, "frequencies (llama3)", "a highFrequencyFactor above lowFrequencyFactor", "" + s);
        }
    }
}
