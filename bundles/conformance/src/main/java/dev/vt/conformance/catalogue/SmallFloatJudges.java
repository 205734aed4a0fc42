package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Expected.Judge;
import org.jspecify.annotations.Nullable;

/** Decides whether stored e4m3 and e2m1 codes are right for numbers that are known to an interval. */
final class SmallFloatJudges {
    private static final int GROUP = 16;
    /** A division by 6 and a product, by an approximate reciprocal perhaps. */
    private static final double SCALE_ROUNDINGS = 4;
    /** A quotient and a product. */
    private static final double CODE_ROUNDINGS = 4;

    private SmallFloatJudges() {}

    /** e4m3 codes of numbers. */
    static Expected fp8(Interval[] wanted) {
        return Expected.judged(given -> {
            for (int i = 0; i < wanted.length; i++) {
                String fault = fp8(wanted[i], given[i] & 0xff);
                if (fault != null) {
                    return "element " + i + ": " + fault;
                }
            }
            return null;
        });
    }

    private static @Nullable String fp8(Interval wanted, int code) {
        double got = SmallFloats.e4m3(code);
        if (wanted.isNaN()) {
            return Double.isNaN(got) ? null : "expected NaN, got " + got;
        }
        double low = SmallFloats.toE4m3(wanted.low());
        double high = SmallFloats.toE4m3(wanted.high());
        return Double.compare(low, got) <= 0 && Double.compare(got, high) <= 0
                ? null
                : "expected " + low + (low == high ? "" : " to " + high) + ", got " + got;
    }

    /** Linear block scales of rows of whole groups. */
    static Judge fp4Scales(Interval[] x, double globalScale) {
        return given -> {
            for (int g = 0; g < x.length / GROUP; g++) {
                String fault = fp8(scale(x, g, globalScale), given[g] & 0xff);
                if (fault != null) {
                    return "group " + g + ": " + fault;
                }
            }
            return null;
        };
    }

    private static Interval scale(Interval[] x, int group, double globalScale) {
        double low = 0;
        double high = 0;
        for (int i = group * GROUP; i < (group + 1) * GROUP; i++) {
            Interval size = x[i].magnitude();
            low = Math.max(low, size.low());
            high = Math.max(high, size.high());
        }
        return new Interval(low, high).times(globalScale / 6).wider(SCALE_ROUNDINGS);
    }

    /** Codes of rows of whole groups; each group must be right for one of the scales that it may have. */
    static Expected fp4Codes(Interval[] x, double globalScale) {
        return Expected.judged(given -> {
            for (int g = 0; g < x.length / GROUP; g++) {
                Interval scale = scale(x, g, globalScale);
                double low = SmallFloats.toE4m3(scale.low());
                double high = SmallFloats.toE4m3(scale.high());
                String fault = group(x, g, globalScale, low, given);
                if (fault != null && (high == low || group(x, g, globalScale, high, given) != null)) {
                    return fault;
                }
            }
            return null;
        });
    }

    private static @Nullable String group(Interval[] x, int group, double globalScale, double scale, byte[] given) {
        for (int i = group * GROUP; i < (group + 1) * GROUP; i++) {
            int pair = given[i / 2] & 0xff;
            int code = i % 2 == 0 ? pair % 16 : pair / 16;
            if (!code(x[i], globalScale, scale, code)) {
                return "element " + i + ": expected the code of " + x[i] + " in a block of scale " + scale + ", got "
                        + SmallFloats.e2m1(code);
            }
        }
        return null;
    }

    private static boolean code(Interval x, double globalScale, double scale, int code) {
        if (Double.isNaN(scale)) {
            return code == 7;
        }
        if (scale == 0) {
            return code == 0;
        }
        Interval v = x.times(globalScale / scale).wider(CODE_ROUNDINGS);
        double got = SmallFloats.e2m1(code);
        return Double.compare(SmallFloats.toE2m1(v.low()), got) <= 0
                && Double.compare(got, SmallFloats.toE2m1(v.high())) <= 0;
    }
}
