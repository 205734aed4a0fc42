package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.tensor.DType;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.DeviceCase;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.TestCase;
import dev.vt.ops.Ops;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Measures ops as they run now, through the registry. Any thread; two at a time disturb each other. */
@Component(
        service = BenchCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=bench"})
public final class BenchCommands extends CommandGroup {
    /** The two sides of a comparison take turns this often, so that a slow moment of the machine hits both. */
    private static final int ROUNDS = 10;

    /** The share of the time that goes into warming up. */
    private static final double WARM_UP = 0.25;

    private final OpRegistry registry;
    private final BackendRegistry backends;
    private final Lookup lookup;

    @Activate
    public BenchCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        this.registry = registry;
        this.backends = backends;
        lookup = new Lookup(registry, backends);
    }

    /** The machine. */
    record Machine(String device, String name, int processors, Roofs roofs) {}

    /**
     * One measurement, times in seconds.
     *
     * @param provider who served, which is not the selected one where that declines
     * @param host until a call returns to its caller, median
     * @param floor the least time that the roofs allow
     * @param ratio median over floor
     * @param samples how many batches were timed
     */
    record Measured(
            String op,
            String shapes,
            String dtype,
            String device,
            String provider,
            double median,
            double min,
            double host,
            double floor,
            double ratio,
            int samples) {
        private List<Object> cells() {
            return List.of(
                    op,
                    shapes,
                    dtype,
                    device,
                    provider,
                    time(median),
                    time(min),
                    time(host),
                    time(floor),
                    ratio,
                    samples);
        }

        private static String time(double seconds) {
            return String.format(Locale.ROOT, "%.2f us", seconds * 1e6);
        }
    }

    /** All measurements of one run. */
    record Bench(Machine machine, List<Measured> results) implements View {
        @Override
        public void show(Page page) {
            page.line(String.format(
                    Locale.ROOT,
                    "%s (%s), %d processors: copy %.1f GB/s%s",
                    machine.device,
                    machine.name,
                    machine.processors,
                    machine.roofs.copyBytesPerSecond() / 1e9,
                    machine.roofs.flopsPerSecond() == 0
                            ? ""
                            : String.format(
                                    Locale.ROOT, ", plain loop %.1f GFLOP/s", machine.roofs.flopsPerSecond() / 1e9)));
            page.table(
                    List.of(
                            "op",
                            "sizes",
                            "dtype",
                            "device",
                            "provider",
                            "median",
                            "min",
                            "host",
                            "floor",
                            "ratio",
                            "samples"),
                    results.stream().map(Measured::cells).toList());
        }
    }

    @Command(
            value = "measures an op, against the bandwidth and arithmetic that the machine shows in the same run",
            example = "vt:bench matmul_bt_quant 1x2048x2048 --dtype q8_0 --seconds 1")
    Bench bench(
            @Argument(name = "op", about = "the op") String op,
            @Argument(
                            name = "sizes...",
                            about = "one or more sizes, such as 1x2048x2048; a wrong one tells what they mean")
                    List<String> shapes,
            @Option(
                            names = "--dtype",
                            value = "DTYPE",
                            about = "the element type of the weights or data; f32 or q8_0 if not given")
                    @Nullable
                    String dtype,
            @Option(
                            names = {"-d", "--device"},
                            value = "DEVICE",
                            about = "where to run; cpu if not given",
                            otherwise = "cpu")
                    String device,
            @Option(
                            names = "--ab",
                            value = "PROVIDER",
                            about = "measures with this provider enabled and disabled, in turns")
                    @Nullable
                    String ab,
            @Option(
                            names = "--seconds",
                            value = "S",
                            about = "time for each measurement; 1 if not given",
                            otherwise = "1")
                    double seconds) {
        Op<?> o = lookup.op(op);
        OpSpec spec = Conformance.spec(o)
                .orElseThrow(() -> VtException.unsupported(
                        "op " + o + " is not of the catalogue, so there is no call to measure"));
        DType type = dtype == null ? spec.usualDtype() : Dtypes.parse("vt:bench: --dtype", dtype);
        if (!(seconds > 0 && seconds <= 3600)) {
            throw VtException.invalidArgument("vt:bench: --seconds: expected above 0 and up to 3600, given " + seconds);
        }
        if (ab != null) {
            lookup.provider(ab);
        }
        Backend backend = backends.get(lookup.device(device));
        List<TestCase> all = shapes.stream().map(s -> spec.sized(s, type)).toList();
        Roofs roofs = Roofs.measure(backend);
        List<Measured> results = new ArrayList<>();
        for (TestCase c : all) {
            if (ab == null) {
                results.add(single(c, backend, roofs, (long) (seconds * 1e9)));
            } else {
                results.addAll(compare(c, backend, roofs, (long) (seconds * 1e9), ab));
            }
        }
        int processors = Runtime.getRuntime().availableProcessors();
        return new Bench(new Machine(backend.device().toString(), backend.description(), processors, roofs), results);
    }

    private Measured single(TestCase c, Backend backend, Roofs roofs, long nanos) {
        try (DeviceCase onDevice = new DeviceCase(c, backend)) {
            Stopwatch watch = new Stopwatch(onDevice, new Ops(registry));
            watch.warmUp((long) (nanos * WARM_UP));
            watch.sample((long) (nanos * (1 - WARM_UP)));
            return measured(c, backend, roofs, watch, server(c, backend, onDevice));
        }
    }

    /** Switches the provider in turns, and leaves it as it was. */
    private List<Measured> compare(TestCase c, Backend backend, Roofs roofs, long nanos, String provider) {
        boolean wasDisabled = registry.disabled().contains(provider);
        try (DeviceCase onDevice = new DeviceCase(c, backend)) {
            Ops ops = new Ops(registry);
            Stopwatch[] watches = {new Stopwatch(onDevice, ops), new Stopwatch(onDevice, ops)};
            String[] servers = new String[2];
            for (int side = 0; side < 2; side++) {
                turn(provider, side == 0);
                servers[side] = server(c, backend, onDevice);
                watches[side].warmUp((long) (nanos * WARM_UP));
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (int side = 0; side < 2; side++) {
                    turn(provider, side == 0);
                    watches[side].sample((long) (nanos * (1 - WARM_UP) / ROUNDS));
                }
            }
            return List.of(
                    measured(c, backend, roofs, watches[0], servers[0]),
                    measured(c, backend, roofs, watches[1], servers[1]));
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
    private String server(TestCase c, Backend backend, DeviceCase onDevice) {
        onDevice.restore();
        for (Selection.Link link : registry.explain(c.op(), backend.device()).chain()) {
            boolean eligible = link.state() == Selection.State.SELECTED || link.state() == Selection.State.BELOW;
            if (!eligible) {
                continue;
            }
            var found = Subject.of(registry, c.op(), backend.device(), link.name());
            if (found.isPresent()) {
                try (Subject kernel = found.get()) {
                    onDevice.call(kernel);
                    onDevice.synchronize();
                    if (kernel.outcome().served()) {
                        return link.name();
                    }
                }
            }
        }
        return "none";
    }

    private static Measured measured(TestCase c, Backend backend, Roofs roofs, Stopwatch watch, String provider) {
        double floor = roofs.floor(c);
        return new Measured(
                c.op().name(),
                c.sizes(),
                c.dtype().label(),
                backend.device().toString(),
                provider,
                watch.median(),
                watch.min(),
                watch.hostMedian(),
                floor,
                watch.median() / floor,
                watch.count());
    }
}
