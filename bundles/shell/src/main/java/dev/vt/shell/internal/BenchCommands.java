package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.tensor.DType;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.TestCase;
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
    private static final int MOST_SETS = 1000;

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
     * @param graph of one call inside a replayed graph, median; null where it was not asked for
     * @param relative median over that of the other side of a comparison; null where there is none
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
            int samples,
            @Nullable Double graph,
            @Nullable Double relative) {
        private List<Object> cells() {
            List<Object> cells = new ArrayList<>(List.of(
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
                    samples));
            if (graph != null) {
                cells.add(time(graph));
            }
            if (relative != null) {
                cells.add(relative);
            }
            return cells;
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
            List<String> header = new ArrayList<>(List.of(
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
                    "samples"));
            if (results.stream().anyMatch(m -> m.graph != null)) {
                header.add("graph");
            }
            if (results.stream().anyMatch(m -> m.relative != null)) {
                header.add("relative");
            }
            page.table(header, results.stream().map(Measured::cells).toList());
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
            @Option(names = "--graph", about = "measures the call inside a replayed graph too") boolean graph,
            @Option(
                            names = "--seconds",
                            value = "S",
                            about = "time for each measurement; 1 if not given",
                            otherwise = "1")
                    double seconds,
            @Option(
                            names = "--sets",
                            value = "N",
                            about = "how many sets of operands to use in turn, so that caches don't hold them; 1 if"
                                    + " not given",
                            otherwise = "1")
                    int sets) {
        Op<?> o = lookup.op(op);
        OpSpec spec = Conformance.spec(o)
                .orElseThrow(() -> VtException.unsupported(
                        "op " + o + " is not of the catalogue, so there is no call to measure"));
        DType type = dtype == null ? spec.usualDtype() : Dtypes.parse("vt:bench: --dtype", dtype);
        if (!(seconds > 0 && seconds <= 3600)) {
            throw VtException.invalidArgument("vt:bench: --seconds: expected above 0 and up to 3600, given " + seconds);
        }
        if (sets < 1 || sets > MOST_SETS) {
            throw VtException.invalidArgument("vt:bench: --sets: expected 1 to " + MOST_SETS + ", given " + sets);
        }
        if (ab != null) {
            lookup.provider(ab);
        }
        Backend backend = backends.get(lookup.device(device));
        if (graph && !backend.supportsGraphCapture()) {
            throw VtException.unsupported("vt:bench: --graph: device " + backend.device() + " records no graphs");
        }
        List<TestCase> all = shapes.stream().map(s -> spec.sized(s, type)).toList();
        Roofs roofs = Roofs.measure(backend);
        BenchRun run = new BenchRun(registry, backend, roofs, (long) (seconds * 1e9), graph, sets);
        List<Measured> results = new ArrayList<>();
        for (TestCase c : all) {
            results.addAll(ab == null ? run.single(c) : run.compare(c, ab));
        }
        int processors = Runtime.getRuntime().availableProcessors();
        return new Bench(new Machine(backend.device().toString(), backend.description(), processors, roofs), results);
    }
}
