package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One complete selection: a route for each op and device. Immutable; the registry's single volatile field points to one. */
final class SelectionTable {
    private static final int DEVICES = DeviceType.LIMIT * Device.LIMIT;

    final long epoch;

    /** Routes by op id, then device number; a row is as long as its highest device needs. */
    private final @Nullable Route[][] routes;

    /** What providers offer, whether or not there is a device for it. */
    final Map<Op<?>, List<ProviderEntry>> offers;

    SelectionTable(long epoch, List<Route> all, Map<Op<?>, List<ProviderEntry>> offers) {
        this.epoch = epoch;
        this.offers = offers;
        int rows = 0;
        for (Route r : all) {
            rows = Math.max(rows, r.op.id() + 1);
        }
        @Nullable Route[][] table = new Route[rows][];
        java.util.Arrays.fill(table, new Route[0]);
        for (Route r : all) {
            @Nullable Route[] row = table[r.op.id()];
            int n = r.device.number();
            if (n >= row.length) {
                row = java.util.Arrays.copyOf(row, Math.min(DEVICES, n + 1));
                table[r.op.id()] = row;
            }
            row[n] = r;
        }
        this.routes = table;
    }

    /** The route of an op on a device, or null when no provider has a kernel for it there. */
    @Nullable Route route(Op<?> op, Device device) {
        int id = op.id();
        if (id < routes.length) {
            @Nullable Route[] row = routes[id];
            int n = device.number();
            if (n < row.length) {
                Route r = row[n];
                return r != null && (r.op == op || r.op.equals(op)) ? r : null;
            }
        }
        return null;
    }

    /** All routes, sorted by device, then op. */
    List<Route> all() {
        List<Route> out = new ArrayList<>();
        for (@Nullable Route[] row : routes) {
            for (Route r : row) {
                if (r != null) {
                    out.add(r);
                }
            }
        }
        out.sort(java.util.Comparator.<Route, Device>comparing(r -> r.device).thenComparing(r -> r.op.name()));
        return out;
    }
}
