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

    /** True when served calls are counted. */
    final boolean counted;

    /** True when calls are traced or announced: they then take the slow way. */
    final boolean watched;

    /** True when a decline is an error. */
    final boolean strict;

    Route(Op<?> op, Device device, List<Link> chain, boolean counted, boolean watched, boolean strict) {
        this.op = op;
        this.device = device;
        this.chain = List.copyOf(chain);
        this.eligible = this.chain.stream().filter(Link::eligible).toArray(Link[]::new);
        this.counted = counted;
        this.watched = watched;
        this.strict = strict;
    }

    @Nullable String selected() {
        return eligible.length == 0 ? null : eligible[0].name;
    }
}
