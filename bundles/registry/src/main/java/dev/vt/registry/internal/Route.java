package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chain of one op on one device as one table has it: all links in selection order, and the eligible ones again as the array
 * that calls walk. Immutable once made: it ties the
 * eligible links together.
 */
final class Route {
    final Op<?> op;
    final Device device;
    final List<Link> chain;
    final Link[] eligible;

    /** True when calls are traced or announced: they then take the slow way. */
    final boolean watched;

    Route(Op<?> op, Device device, List<Link> chain, boolean watched) {
        this.op = op;
        this.device = device;
        this.chain = List.copyOf(chain);
        this.eligible = this.chain.stream().filter(Link::eligible).toArray(Link[]::new);
        this.watched = watched;
        for (int i = 0; i + 1 < eligible.length; i++) {
            eligible[i].next = eligible[i + 1];
        }
    }

    @Nullable
    String selected() {
        return eligible.length == 0 ? null : eligible[0].name;
    }
}
