package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chain of one op on one device as one table has it: all links in selection order, and the eligible ones again as the array
 * that calls walk. Immutable.
 */
final class Route {
    final Op<?> op;
    final Device device;
    final List<Link> chain;
    final Link[] eligible;

    /** The kernel that is asked first; null when none is eligible. */
    final @Nullable Object first;

    /** True when calls must be counted, traced or announced: they then take the slow way. */
    final boolean watched;

    /** True when a decline is an error. */
    final boolean strict;

    final int fallbackCell;

    Route(Op<?> op, Device device, List<Link> chain, boolean watched, boolean strict, int fallbackCell) {
        this.op = op;
        this.device = device;
        this.chain = List.copyOf(chain);
        this.eligible = this.chain.stream().filter(Link::eligible).toArray(Link[]::new);
        this.first = eligible.length == 0 ? null : eligible[0].kernel;
        this.watched = watched;
        this.strict = strict;
        this.fallbackCell = fallbackCell;
    }

    @Nullable String selected() {
        return eligible.length == 0 ? null : eligible[0].name;
    }
}
