package dev.vt.shell.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Selection;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.TestCase;
import dev.vt.ops.Ops;
import dev.vt.shell.internal.BenchCommands.Measured;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures calls on one device, as they are served now, or with a provider enabled and disabled in turns. One thread.
 *
 * @param nanos for each measurement
 * @param graphs whether calls are measured inside a replayed graph too
 * @param sets how many sets of operands are used in turn
 */
record BenchRun(OpRegistry registry, Backend backend, Roofs roofs, long nanos, boolean graphs, int sets) {
    /** The two sides of a comparison take turns this often, so that a slow moment of the machine hits both. */
    private static final int ROUNDS = 10;

    /** The share of the time that goes into warming up. */
    private static final double WARM_UP = 0.25;

    /** A way of serving a call that is measured. */
    private final class Side implements AutoCloseable {
        private final Stopwatch watch;
        private final String server;
        private final @Nullable Replays replays;

        /** The call as it is served now. */
        Side(TestCase c, BenchCase device) {
            Ops ops = new Ops(registry);
            server = server(c, device);
            watch = new Stopwatch(device, ops);
            watch.warmUp((long) (nanos * WARM_UP));
            replays = graphs ? new Replays(device, ops, watch.calls()) : null;
        }

        void sample(double share) {
            long time = (long) (nanos * (1 - WARM_UP) * share);
            watch.sample(replays == null ? time : time / 2);
            if (replays != null) {
                replays.sample(time / 2);
            }
        }

        Measured measured(TestCase c, @Nullable Side other) {
            double floor = roofs.floor(c);
            return new Measured(
                    c.op().name(),
                    c.sizes(),
                    c.dtype().label(),
                    backend.device().toString(),
                    server,
                    watch.median(),
                    watch.min(),
                    watch.hostMedian(),
                    floor,
                    watch.median() / floor,
                    watch.count(),
                    replays == null ? null : replays.median(),
                    other == null ? null : watch.median() / other.watch.median());
        }

        @Override
        public void close() {
            if (replays != null) {
                replays.close();
            }
        }
    }

    /** Measures a call as it is served now. */
    List<Measured> single(TestCase c) {
        try (BenchCase device = new BenchCase(c, backend, sets);
                Side side = new Side(c, device)) {
            side.sample(1);
            return List.of(side.measured(c, null));
        }
    }

    /** Switches the provider in turns, and leaves it as it was. */
    List<Measured> compare(TestCase c, String provider) {
        boolean wasDisabled = registry.disabled().contains(provider);
        List<Side> sides = new ArrayList<>();
        try (BenchCase device = new BenchCase(c, backend, sets)) {
            try {
                for (boolean on : new boolean[] {true, false}) {
                    turn(provider, on);
                    sides.add(new Side(c, device));
                }
                for (int round = 0; round < ROUNDS; round++) {
                    for (int i = 0; i < 2; i++) {
                        turn(provider, i == 0);
                        sides.get(i).sample(1.0 / ROUNDS);
                    }
                }
                return List.of(
                        sides.get(0).measured(c, sides.get(1)), sides.get(1).measured(c, sides.get(0)));
            } finally {
                sides.forEach(Side::close);
            }
        } finally {
            turn(provider, !wasDisabled);
        }
    }

    private void turn(String provider, boolean on) {
        if (on) {
            registry.enable(provider);
        } else {
            registry.disable(provider);
        }
    }

    /** The first of the chain that does not decline this very call. */
    private String server(TestCase c, BenchCase device) {
        device.restore();
        for (Selection.Link link : registry.explain(c.op(), backend.device()).chain()) {
            boolean eligible = link.state() == Selection.State.SELECTED || link.state() == Selection.State.BELOW;
            if (!eligible) {
                continue;
            }
            var found = Subject.of(registry, c.op(), backend.device(), link.name());
            if (found.isPresent()) {
                try (Subject kernel = found.get()) {
                    device.first().call(kernel);
                    device.synchronize();
                    if (kernel.outcome().served()) {
                        return link.name();
                    }
                }
            }
        }
        return "none";
    }
}
