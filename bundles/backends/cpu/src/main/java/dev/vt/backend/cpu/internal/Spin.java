package dev.vt.backend.cpu.internal;

import java.util.function.BooleanSupplier;

/** A bounded busy wait for what usually comes at once. Waking a parked thread takes about as long as this spins. */
final class Spin {
    /** Waking a parked thread was measured at 20 to 60 microseconds; spinning longer than that wins nothing. */
    private static final long NANOS = 40_000;

    private static final boolean WORTH_IT = Runtime.getRuntime().availableProcessors() > 1;

    private Spin() {}

    /** True as soon as the condition holds; false when the time is over. */
    static boolean until(BooleanSupplier condition) {
        if (condition.getAsBoolean()) {
            return true;
        }
        if (!WORTH_IT) {
            return false;
        }
        long start = System.nanoTime();
        do {
            // Some looks at the condition for each look at the clock, which costs more.
            for (int i = 0; i < 16; i++) {
                Thread.onSpinWait();
                if (condition.getAsBoolean()) {
                    return true;
                }
            }
        } while (System.nanoTime() - start < NANOS);
        return false;
    }
}
