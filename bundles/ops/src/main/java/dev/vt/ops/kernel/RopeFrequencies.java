package dev.vt.ops.kernel;

import org.jspecify.annotations.Nullable;

/**
 * How the angles of rotary embeddings are made: angle i of position p is p * base^(-2i / rotaryDim) / linearScale, the
 * frequencies rescaled as Llama 3 does where asked for.
 *
 * @param base the base, 10000 in the paper
 * @param rotaryDim how many elements of a head are rotated; even
 * @param linearScale divides every frequency; 1 for none
 * @param llama3 the rescaling of Llama 3.1, or null
 */
public record RopeFrequencies(
        double base,
        int rotaryDim,
        double linearScale,
        @Nullable Llama3Scaling llama3) {
    /** Plain frequencies. */
    public static RopeFrequencies of(double base, int rotaryDim) {
        return new RopeFrequencies(base, rotaryDim, 1.0, null);
    }

    /**
     * The rescaling of Llama 3.1: long wavelengths are slowed by {@code factor}, short ones kept, with a smooth passage between.
     *
     * @param factor how much slower
     * @param lowFrequencyFactor original context over this is the wavelength from which all is slowed
     * @param highFrequencyFactor original context over this is the wavelength below which all is kept
     * @param originalContext tokens of the original context
     */
    public record Llama3Scaling(
            double factor, double lowFrequencyFactor, double highFrequencyFactor, long originalContext) {}

    /** Frequency of pair i (0 to rotaryDim / 2 - 1), in radians a position. */
    public double frequency(int i) {
        double f = Math.pow(base, -2.0 * i / rotaryDim);
        if (llama3 != null) {
            double wavelength = 2 * Math.PI / f;
            double low = llama3.originalContext() / llama3.lowFrequencyFactor();
            double high = llama3.originalContext() / llama3.highFrequencyFactor();
            if (wavelength > low) {
                f /= llama3.factor();
            } else if (wavelength >= high) {
                double smooth = (llama3.originalContext() / wavelength - llama3.lowFrequencyFactor())
                        / (llama3.highFrequencyFactor() - llama3.lowFrequencyFactor());
                f = (1 - smooth) * f / llama3.factor() + smooth * f;
            }
        }
        return f / linearScale;
    }
}
