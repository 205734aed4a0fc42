package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.op.Selection;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One provider's kernel in the chain of one op on one device: what the table knows about it, and the numbers of its counters.
 * Immutable but for the list of decline reasons, which only grows.
 */
final class Link {
    /** How calls of a route are treated. */
    record Calling(Counters counters, boolean counted, boolean strict) {}

    /** Reasons seen so far and their cells; replaced, never changed. */
    private record Reasons(Outcome[] outcomes, int[] cells) {}

    final Op<?> op;
    final Device device;
    final String name;
    final int priority;
    final Selection.State state;
    final String reason;
    final Origin origin;
    final Object kernel;
    final Owner owner;
    final int servedCell;

    /** True when served calls are counted. */
    final boolean counted;

    /** True when a decline is an error. */
    final boolean strict;

    /** The eligible link below this one; set while the table is made. */
    @Nullable
    Link next;

    /** True for a kernel that is kept out for its results alone: a test may run it. Set while the table is made. */
    boolean refusedForResults;

    private final Counters counters;
    private volatile Reasons reasons = new Reasons(new Outcome[0], new int[0]);

    /** The first reason seen, apart from the rest: most kernels have one, and its look-up must stay small. */
    private @Nullable FirstReason first;

    /** A decline and its cell; final fields, so that it may be handed over without a barrier. */
    private record FirstReason(Outcome outcome, int cell) {}

    Link(
            Op<?> op,
            Device device,
            String name,
            int priority,
            Selection.State state,
            String reason,
            Origin origin,
            Object kernel,
            Owner owner,
            Calling calling) {
        this.op = op;
        this.device = device;
        this.name = name;
        this.priority = priority;
        this.state = state;
        this.reason = reason;
        this.origin = origin;
        this.kernel = kernel;
        this.owner = owner;
        this.counters = calling.counters;
        this.counted = calling.counted;
        this.strict = calling.strict;
        this.servedCell = counters.served(op.id(), device, name);
    }

    boolean eligible() {
        return state == Selection.State.SELECTED || state == Selection.State.BELOW;
    }

    /** True when the kernel may run, be it only in a test. */
    boolean testable() {
        return eligible() || refusedForResults;
    }

    boolean reference() {
        return name.equals(dev.vt.api.spi.OpProvider.REFERENCE);
    }

    /** The cell of a decline; a compare of references for the first reason, a short search for others. */
    int declineCell(Outcome outcome) {
        FirstReason known = first;
        return known != null && known.outcome == outcome ? known.cell : anotherReason(outcome);
    }

    private int anotherReason(Outcome outcome) {
        Reasons known = reasons;
        Outcome[] outcomes = known.outcomes;
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] == outcome) {
                return known.cells[i];
            }
        }
        return newReason(outcome);
    }

    /** More distinct decline objects than this are a provider that makes them per call: counted, not remembered. */
    private static final int REMEMBERED = 32;

    private synchronized int newReason(Outcome outcome) {
        int cell = counters.declined(op.id(), device, name, outcome.reason());
        Reasons known = reasons;
        int n = known.outcomes.length;
        if (n == 0) {
            first = new FirstReason(outcome, cell);
        }
        if (n < REMEMBERED) {
            Outcome[] outcomes = Arrays.copyOf(known.outcomes, n + 1);
            int[] cells = Arrays.copyOf(known.cells, n + 1);
            outcomes[n] = outcome;
            cells[n] = cell;
            reasons = new Reasons(outcomes, cells);
        }
        return cell;
    }

    Selection.Link describe() {
        return new Selection.Link(
                name,
                priority,
                state,
                reason,
                origin.bundle(),
                origin.version(),
                counters.servedBy(op.id(), device, name),
                counters.declines(op.id(), device, name));
    }
}
