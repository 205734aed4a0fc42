package dev.vt.registry.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** Keeps the fields of {@link PinSlotFields} off the cache line of what lies before. */
@SuppressWarnings("unused") // padding
class PinSlotPadding {
    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}

/** The fields of a slot. A class of its own, since the JVM lays fields out class by class. */
class PinSlotFields extends PinSlotPadding {
    /** The epoch that the holder may see, 0 when free. */
    volatile long epoch;

    /** Id of the holder's thread, for messages. */
    long threadId;

    /** Counters by cell number; only the holder writes. */
    long[] counts = new long[64];
}

/**
 * One pin: whoever moves its epoch from 0 holds the slot and may use tables of that epoch and later until it gives the slot back.
 * Made and owned by {@link PinTable}.
 */
@SuppressWarnings("unused") // padding
final class PinSlot extends PinSlotFields {
    private static final VarHandle EPOCH;

    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    static {
        try {
            EPOCH = MethodHandles.lookup().findVarHandle(PinSlotFields.class, "epoch", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Takes the slot if it is free. */
    boolean tryEnter(long present, long thread) {
        if (EPOCH.compareAndSet(this, 0L, present)) {
            threadId = thread;
            return true;
        }
        return false;
    }

    /** Gives the slot back. What the holder wrote is visible to the next one. */
    void exit() {
        EPOCH.setRelease(this, 0L);
    }

    /** Adds one to a counter. Only the holder may. */
    void count(int cell) {
        long[] c = counts;
        if (cell >= c.length) {
            c = grow(cell);
        }
        c[cell]++;
    }

    private long[] grow(int cell) {
        counts = Arrays.copyOf(counts, Math.max(cell + 1, counts.length * 2));
        return counts;
    }

    /** Reads a counter from any thread. */
    long read(int cell) {
        long[] c = counts;
        return cell < c.length ? c[cell] : 0;
    }
}
