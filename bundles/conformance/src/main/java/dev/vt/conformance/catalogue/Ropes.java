package dev.vt.conformance.catalogue;

import dev.vt.api.tensor.DType;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.Draft;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.Pattern;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import dev.vt.ops.kernel.RopeFrequencies.Llama3Scaling;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rotary embeddings: {@code rope_neox}, {@code rope_cos_sin_cache}, {@code rope_from_cache}. */
final class Ropes {
    /** Cosine, sine, two products and a sum. */
    private static final double ROTATED = 6;

    /** Cosine and sine of an angle that was made in double, each off by a unit. */
    private static final double ANGLE = 2;

    private static final int LONG_POSITIONS = 1;
    private static final int LINEAR = 2;
    private static final int LLAMA = 3;
    private static final int FACTORS = 4;
    private static final int AXES = 4;
    private static final int LONG_AXES = 5;

    private static final int INTERLEAVED = 1;
    private static final int NO_KEYS = 2;
    private static final int LONG_INTERLEAVED = 3;
    private static final int MROPE = 4;
    private static final int MROPE_INTERLEAVED = 5;
    private static final int TOO_FAR = 6;
    private static final int NEGATIVE = 7;

    private static final Pattern[] PATTERNS = {
        Pattern.NAN_MIDDLE, Pattern.NAN_FIRST, Pattern.INFINITE, Pattern.DENORMAL, Pattern.ZERO, Pattern.LARGE
    };

    private Ropes() {}

    static List<OpSpec> all() {
        return List.of(
                OpSpec.of(OpTable.ROPE_NEOX, "TxHqxHkxDxR")
                        .dtypes(Dtypes.STORED)
                        .variants("", "i64 positions", "linear scale", "llama3", "mrope", "i64 mrope")
                        .quick("1x4x2x64x64", "3x3x1x40x24")
                        .full(
                                "0x2x1x8x8",
                                "1x1x1x2x2",
                                "5x2x0x33x16",
                                "2x3x3x127x126",
                                "7x4x2x128x128",
                                "33x8x2x256x64")
                        .patterns(PATTERNS)
                        .makes(Ropes::neox),
                OpSpec.of(OpTable.ROPE_COS_SIN_CACHE, "TxR")
                        .dtypes(DType.F32)
                        .variants("", "i64 positions", "linear scale", "llama3", "factors")
                        .quick("1x64", "5x26")
                        .full("0x8", "1x2", "3x126", "17x128", "129x256")
                        .makes(Ropes::table),
                OpSpec.of(OpTable.ROPE_FROM_CACHE, "TxHqxHkxDxRxP")
                        .dtypes(Dtypes.STORED)
                        .variants(
                                "",
                                "interleaved",
                                "no keys",
                                "i64 interleaved",
                                "mrope",
                                "mrope interleaved",
                                "position too large",
                                "position negative")
                        .quickVariants(2)
                        .except(Ropes::noFault)
                        .quick("1x4x2x64x64x9", "3x3x1x40x24x7")
                        .full(
                                "0x2x1x8x8x4",
                                "1x1x1x2x2x1",
                                "5x2x0x33x16x5",
                                "2x3x3x127x126x3",
                                "7x4x2x128x128x33",
                                "33x8x2x256x64x64")
                        .patterns(PATTERNS)
                        .makes(Ropes::fromCache));
    }

    private static boolean noFault(CasePlan plan) {
        return plan.variant() >= TOO_FAR && (plan.dims()[0] == 0 || plan.pattern() != Pattern.NORMAL);
    }

    private static RopeFrequencies frequencies(Draft d, int rotary) {
        return switch (d.variant()) {
            case LINEAR -> new RopeFrequencies(500000, rotary, 4, null);
            // The numbers of Llama 3.1; a smaller context, so that small heads have all three kinds of wavelength.
            case LLAMA -> new RopeFrequencies(500000, rotary, 1, new Llama3Scaling(8, 1, 4, 1024));
            default -> RopeFrequencies.of(10000, rotary);
        };
    }

    /** The axis whose position rotates a pair. */
    private static int axis(@Nullable MropeSections sections, int pair) {
        int axis = 0;
        while (sections != null && pair >= sections.start(axis + 1)) {
            axis++;
        }
        return axis;
    }

    /** The i-th angle of a position 1, from the papers' formulas. */
    private static double frequency(RopeFrequencies f, int i) {
        double plain = Math.exp(-2.0 * i / f.rotaryDim() * Math.log(f.base())) / f.linearScale();
        Llama3Scaling s = f.llama3();
        if (s == null) {
            return plain;
        }
        double turns = s.originalContext() * plain / (2 * Math.PI);
        double kept = (turns - s.lowFrequencyFactor()) / (s.highFrequencyFactor() - s.lowFrequencyFactor());
        double share = Math.clamp(kept, 0.0, 1.0);
        return plain * (share + (1 - share) / s.factor());
    }

    private static Operand positions(Draft d, int t, boolean wide) {
        return d.integers(
                "positions",
                wide ? DType.I64 : DType.I32,
                i -> i == t - 1 ? 131071 : d.random().nextLong(9000),
                t);
    }

    /** Positions of three axes; the last ones of all are far apart. */
    private static Operand axes(Draft d, int t, boolean wide) {
        long last = (long) MropeSections.AXES * t - 1;
        return d.integers(
                "positions",
                wide ? DType.I64 : DType.I32,
                i -> i == last ? 131071 : d.random().nextLong(9000),
                MropeSections.AXES,
                t);
    }

    private static void neox(Draft d) {
        int t = d.dim(0);
        int rotary = d.dim(4);
        Operand q = d.data("q", d.dtype(), t, d.dim(1), d.dim(3));
        Operand k = d.normal("k", d.dtype(), t, d.dim(2), d.dim(3));
        int pairs = rotary / 2;
        MropeSections sections = d.variant() == AXES || d.variant() == LONG_AXES ? sections(pairs) : null;
        Operand positions = sections == null
                ? positions(d, t, d.variant() == LONG_POSITIONS)
                : axes(d, t, d.variant() == LONG_AXES);
        RopeFrequencies f = frequencies(d, rotary);
        long[] at = positions.integers();
        double[] cos = new double[t * pairs];
        double[] sin = new double[t * pairs];
        for (int i = 0; i < cos.length; i++) {
            double angle = at[axis(sections, i % pairs) * t + i / pairs] * frequency(f, i % pairs);
            cos[i] = Math.cos(angle);
            sin[i] = Math.sin(angle);
        }
        q.expect(() -> rotated(q, cos, sin, rotary, false));
        k.expect(() -> rotated(k, cos, sin, rotary, false));
        d.flops(3.0 * t * rotary * (d.dim(1) + d.dim(2)));
        d.call((ops, queue, ts) -> ops.ropeNeox(queue, ts[0], ts[1], ts[2], f, sections));
    }

    /** Each token has {@code rotary / 2} cosines and sines; what lies behind {@code rotary} stays. */
    private static Expected rotated(Operand x, double[] cos, double[] sin, int rotary, boolean interleaved) {
        int pairs = rotary / 2;
        int heads = (int) x.shape()[1];
        int dim = (int) x.shape()[2];
        double[] v = x.values();
        double[] y = v.clone();
        double[] sizes = new double[y.length];
        BitSet untouched = new BitSet();
        untouched.set(0, y.length);
        for (int head = 0; dim > 0 && head < y.length / dim; head++) {
            for (int i = 0; i < pairs; i++) {
                int angle = head / heads * pairs + i;
                int a = head * dim + (interleaved ? 2 * i : i);
                int b = interleaved ? a + 1 : a + pairs;
                y[a] = v[a] * cos[angle] - v[b] * sin[angle];
                y[b] = v[b] * cos[angle] + v[a] * sin[angle];
                sizes[a] = Math.abs(v[a]) + Math.abs(v[b]);
                sizes[b] = sizes[a];
                untouched.clear(a);
                untouched.clear(b);
            }
        }
        return Expected.close(y, sizes, ROTATED).untouched(untouched);
    }

    private static void table(Draft d) {
        int t = d.dim(0);
        int rotary = d.dim(1);
        int pairs = rotary / 2;
        Operand cosSin = d.out("cosSin", DType.F32, t, rotary);
        Operand positions = positions(d, t, d.variant() == LONG_POSITIONS);
        Operand factors = d.variant() == FACTORS ? d.uniform("factors", 1, 8, DType.F32, pairs) : null;
        RopeFrequencies f = frequencies(d, rotary);
        cosSin.expect(() -> Expected.close(tableOf(positions.integers(), f, factors), ones(t * rotary), ANGLE));
        d.call((ops, queue, ts) -> ops.ropeCosSinCache(queue, ts[0], ts[1], f, ts.length > 2 ? ts[2] : null));
    }

    private static double[] tableOf(long[] positions, RopeFrequencies f, @Nullable Operand factors) {
        int pairs = f.rotaryDim() / 2;
        double[] y = new double[positions.length * f.rotaryDim()];
        for (int t = 0; t < positions.length; t++) {
            for (int i = 0; i < pairs; i++) {
                double angle = positions[t] * frequency(f, i) / (factors == null ? 1 : factors.values()[i]);
                y[t * f.rotaryDim() + i] = Math.cos(angle);
                y[t * f.rotaryDim() + pairs + i] = Math.sin(angle);
            }
        }
        return y;
    }

    private static double[] ones(int n) {
        double[] ones = new double[n];
        Arrays.fill(ones, 1);
        return ones;
    }

    private static void fromCache(Draft d) {
        int t = d.dim(0);
        int rotary = d.dim(4);
        int rows = d.dim(5);
        boolean interleaved =
                d.variant() == INTERLEAVED || d.variant() == LONG_INTERLEAVED || d.variant() == MROPE_INTERLEAVED;
        MropeSections sections = d.variant() == MROPE || d.variant() == MROPE_INTERLEAVED ? sections(rotary / 2) : null;
        Operand q = d.data("q", d.dtype(), t, d.dim(1), d.dim(3)).mayPad();
        Operand k = d.variant() == NO_KEYS
                ? null
                : d.normal("k", d.dtype(), t, d.dim(2), d.dim(3)).mayPad();
        Operand cosSin = d.uniform("cosSin", -1, 1, DType.F32, rows, rotary);
        DType wide = d.variant() == LONG_INTERLEAVED || d.variant() == NEGATIVE ? DType.I64 : DType.I32;
        long last = switch (d.variant()) {
            case TOO_FAR -> rows;
            case NEGATIVE -> -1;
            default -> rows - 1;
        };
        long[] shape = sections == null ? new long[] {t} : new long[] {MropeSections.AXES, t};
        Operand positions = d.integers(
                "positions", wide, i -> i == t - 1 ? last : d.random().nextLong(rows), shape);
        if (d.variant() >= TOO_FAR) {
            d.fails("positions[" + (t - 1) + "]");
        }
        q.expect(() -> fromTable(q, cosSin, positions, sections, interleaved));
        if (k != null) {
            k.expect(() -> fromTable(k, cosSin, positions, sections, interleaved));
        }
        d.flops(3.0 * t * rotary * (d.dim(1) + d.dim(2)));
        d.call((ops, queue, ts) -> {
            int n = ts.length;
            ops.ropeFromCache(queue, ts[0], n > 3 ? ts[1] : null, ts[n - 2], ts[n - 1], interleaved, sections);
        });
    }

    /** Most pairs for time, fewest for the width. */
    private static MropeSections sections(int pairs) {
        int height = pairs / 3;
        int width = pairs / 4;
        return new MropeSections(pairs - height - width, height, width);
    }

    private static Expected fromTable(
            Operand x, Operand cosSin, Operand positions, @Nullable MropeSections sections, boolean interleaved) {
        int rotary = (int) cosSin.shape()[1];
        int pairs = rotary / 2;
        int tokens = (int) x.shape()[0];
        long[] at = positions.integers();
        double[] cos = new double[tokens * pairs];
        double[] sin = new double[tokens * pairs];
        for (int i = 0; i < cos.length; i++) {
            int pair = i % pairs;
            int row = (int) at[axis(sections, pair) * tokens + i / pairs] * rotary;
            cos[i] = cosSin.values()[row + pair];
            sin[i] = cosSin.values()[row + pairs + pair];
        }
        return rotated(x, cos, sin, rotary, interleaved);
    }
}
