package dev.vt.registry.internal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * All pins of a registry. Entering takes one compare-and-set on a slot that no other thread is likely to want; where all slots
 * are taken, more are made. Any thread, virtual ones too, may enter, as often as it likes.
 */
final class PinTable {
    /** Enough that two busy threads rarely want the same one; a power of two. */
    private static final int SLOTS = 128;

    /** Spreads consecutive thread ids: 2^64 over the golden ratio; the top 7 bits are a slot number. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SLOTS);

    private final PinSlot[] slots = new PinSlot[SLOTS];
    private final List<PinSlot> more = new CopyOnWriteArrayList<>();

    PinTable() {
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new PinSlot();
        }
    }

    /** Takes a slot. The caller reads the table after this, never before. */
    PinSlot enter(long epoch) {
        long thread = Thread.currentThread().threadId();
        PinSlot slot = slots[(int) ((thread * SPREAD) >>> SHIFT)];
        return slot.tryEnter(epoch, thread) ? slot : enterElsewhere(epoch, thread);
    }

    private PinSlot enterElsewhere(long epoch, long thread) {
        int start = (int) ((thread * SPREAD) >>> SHIFT);
        for (int i = 1; i < SLOTS; i++) {
            PinSlot slot = slots[(start + i) & (SLOTS - 1)];
            if (slot.tryEnter(epoch, thread)) {
                return slot;
            }
        }
        for (PinSlot slot : more) {
            if (slot.tryEnter(epoch, thread)) {
                return slot;
            }
        }
        PinSlot fresh = new PinSlot();
        fresh.tryEnter(epoch, thread);
        more.add(fresh);
        return fresh;
    }

    void forEach(Consumer<PinSlot> action) {
        for (PinSlot slot : slots) {
            action.accept(slot);
        }
        more.forEach(action);
    }

    /** Sum of a counter over all slots. */
    long sum(int cell) {
        long total = 0;
        for (PinSlot slot : slots) {
            total += slot.read(cell);
        }
        for (PinSlot slot : more) {
            total += slot.read(cell);
        }
        return total;
    }
}
