package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.OpStats;
import dev.vt.api.registry.BackendRegistry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The registry's counters. Any thread. */
@Component(
        service = StatisticsCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=stats"})
public final class StatisticsCommands extends CommandGroup {
    private final OpRegistry registry;
    private final Lookup lookup;

    @Activate
    public StatisticsCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        this.registry = registry;
        lookup = new Lookup(registry, backends);
    }

    /** The counters of one op on one device. */
    record StatsRow(
            String op, String device, @Nullable String lastSelected, long selections, long declines, long fallbacks) {
        static StatsRow of(OpStats s) {
            return new StatsRow(
                    s.op(), s.device().toString(), s.lastSelected(), s.selections(), s.declines(), s.fallbacks());
        }

        boolean touched() {
            return selections != 0 || declines != 0 || fallbacks != 0;
        }
    }

    @Command(
            value = "shows how often kernels were selected, declined, or missing; switches the counting of served"
                    + " calls",
            example = "vt:stats matmul_bt cpu --on")
    Rows<StatsRow> stats(
            @Argument(name = "op", about = "only this op", optional = true) @Nullable String op,
            @Argument(name = "device", about = "only this device", optional = true) @Nullable String device,
            @Option(names = "--reset", about = "zeroes the counters that it shows, after showing them") boolean reset,
            @Option(names = "--on", about = "counts served calls from now on") boolean on,
            @Option(names = "--off", about = "counts served calls no more, which saves a store a call") boolean off) {
        if (on && off) {
            throw VtException.invalidArgument("vt:stats: expected --on or --off, given both");
        }
        if (on || off) {
            registry.countCalls(on);
        }
        List<Op<?>> ops = op == null ? lookup.ops() : List.of(lookup.op(op));
        List<StatsRow> rows = new ArrayList<>();
        for (Op<?> o : ops) {
            for (Device d : lookup.devices(device)) {
                StatsRow row = StatsRow.of(registry.stats(o, d));
                if (op != null || row.touched() || registry.providerCount(o, d) > 0) {
                    rows.add(row);
                }
                if (reset) {
                    registry.resetStats(o, d);
                }
            }
        }
        return Rows.of(rows)
                .column("op", StatsRow::op)
                .column("device", StatsRow::device)
                .column("last-selected", StatsRow::lastSelected)
                .column("selections", StatsRow::selections)
                .column("declines", StatsRow::declines)
                .column("fallbacks", StatsRow::fallbacks)
                .ifEmpty("no op has a kernel or a counter")
                .footer("served calls are " + (registry.countsCalls() ? "counted" : "not counted; --on counts them")
                        + (reset ? "; these counters are zero now" : ""));
    }
}
