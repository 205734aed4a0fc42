package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One complete selection: a route for each op and device. Immutable; the registry's single volatile field points to one. Calls use
 * {@link #first}, which is one array away, since each load on the way to a kernel waits for the one before it.
 */
final class SelectionTable {
    final long epoch;

    /** What providers offer, whether or not there is a device for it. */
    final Map<Op<?>, List<ProviderEntry>> offers;

    /** One more than the highest device number. */
    private final int stride;

    /** By op id times stride plus device number: the link that is asked first. */
    private final @Nullable Link[] firsts;

    private final @Nullable Route[] routes;

    SelectionTable(long epoch, List<Route> all, Map<Op<?>, List<ProviderEntry>> offers) {
        this.epoch = epoch;
        this.offers = offers;
        int devices = 0;
        int ops = 0;
        for (Route r : all) {
            devices = Math.max(devices, r.device.number() + 1);
            ops = Math.max(ops, r.op.id() + 1);
        }
        stride = devices;
        routes = new Route[ops * devices];
        firsts = new Link[ops * devices];
        for (Route r : all) {
            int at = r.op.id() * stride + r.device.number();
            routes[at] = r;
            firsts[at] = r.watched || r.eligible.length == 0 ? null : r.eligible[0];
        }
    }

    private int index(Op<?> op, Device device) {
        int number = device.number();
        int at = op.id() * stride + number;
        return number < stride && at < firsts.length ? at : -1;
    }

    /** The link to ask first, or null when none is eligible, the route is watched, or the op is another one of the same id. */
    @Nullable
    Link first(Op<?> op, Device device) {
        int at = index(op, device);
        if (at >= 0) {
            Link link = firsts[at];
            if (link != null && link.op == op) {
                return link;
            }
        }
        return null;
    }

    /** The route of an op on a device, or null when no provider has a kernel for it there. */
    @Nullable
    Route route(Op<?> op, Device device) {
        int at = index(op, device);
        Route r = at < 0 ? null : routes[at];
        return r != null && r.op.equals(op) ? r : null;
    }

    /** All routes, sorted by device, then op. */
    List<Route> all() {
        List<Route> all = new ArrayList<>();
        for (Route r : routes) {
            if (r != null) {
                all.add(r);
            }
        }
        all.sort(Comparator.<Route, Device>comparing(r -> r.device).thenComparing(r -> r.op.name()));
        return List.copyOf(all);
    }
}
