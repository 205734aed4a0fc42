package dev.vt.shell.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.spi.OpProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Checks kernels against the CPU's own. Any thread. */
@Component(
        service = VerifyCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=verify"})
public final class VerifyCommands extends CommandGroup {
    private final OpRegistry registry;
    private final BackendRegistry backends;
    private final Lookup lookup;
    private final KernelCases cases = new KernelCases();

    @Activate
    public VerifyCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        this.registry = registry;
        this.backends = backends;
        lookup = new Lookup(registry, backends);
    }

    /** All that was verified; the first keys sum up, results has a line for each provider and device. */
    record Verified(
            String device,
            String provider,
            int cases,
            List<Verifier.Failure> failures,
            Map<String, Long> declines,
            Map<String, Double> worst,
            double seconds,
            List<Verifier.Result> results)
            implements View {
        static Verified of(List<Verifier.Result> results) {
            Set<String> devices = new TreeSet<>();
            Set<String> providers = new TreeSet<>();
            List<Verifier.Failure> failures = new ArrayList<>();
            Map<String, Long> declines = new TreeMap<>();
            Map<String, Double> worst = new TreeMap<>();
            for (Verifier.Result r : results) {
                devices.add(r.device());
                providers.add(r.provider());
                failures.addAll(r.failures());
                r.declines().forEach((reason, n) -> declines.merge(reason, n, Long::sum));
                r.worst().forEach((dtype, error) -> worst.merge(dtype, error, Math::max));
            }
            return new Verified(
                    String.join(",", devices),
                    String.join(",", providers),
                    results.stream().mapToInt(Verifier.Result::cases).sum(),
                    failures,
                    declines,
                    worst,
                    results.stream().mapToDouble(Verifier.Result::seconds).sum(),
                    results);
        }

        @Override
        public void show(Page page) {
            page.table(
                    List.of("device", "provider", "cases", "failures", "declines", "seconds", "worst error by dtype"),
                    results.stream().map(Verified::cells).toList());
            for (Verifier.Result r : results) {
                r.failures()
                        .forEach(f -> page.line("failed: " + r.provider() + " " + f.op() + " " + f.sizes() + " "
                                + f.dtype() + ": " + f.error()));
                r.declines()
                        .forEach((reason, n) -> page.line("declined: " + r.provider() + " " + reason + " (" + n + ")"));
                r.skipped().forEach(s -> page.line("left out: " + r.provider() + " " + s));
            }
            page.line("compared with " + OpProvider.NATIVE + " on the CPU; for itself that says only that it repeats");
        }

        private static List<Object> cells(Verifier.Result r) {
            long declined =
                    r.declines().values().stream().mapToLong(Long::longValue).sum();
            return List.of(r.device(), r.provider(), r.cases(), r.failures().size(), declined, r.seconds(), r.worst());
        }
    }

    @Command(
            value = "runs kernels on small random cases and compares them with the CPU's own; fails if one differs",
            example = "vt:verify vt-native rms_norm")
    Verified verify(
            Terminal terminal,
            @Argument(name = "provider", about = "only this provider", optional = true) @Nullable String provider,
            @Argument(name = "op", about = "only this op", optional = true) @Nullable String op) {
        if (provider != null) {
            lookup.provider(provider);
        }
        List<Op<?>> ops = op == null ? lookup.ops() : List.of(lookup.op(op));
        List<Verifier.Result> results = new ArrayList<>();
        for (ProviderStatus p : registry.providers()) {
            boolean wanted = provider == null
                    ? eligible(p) && !p.name().equals(OpProvider.REFERENCE)
                    : p.name().equals(provider);
            if (wanted) {
                if (!eligible(p)) {
                    throw VtException.unsupported("vt:verify: " + p.name() + " on " + p.device() + " is "
                            + p.state().label() + ": " + p.reason());
                }
                results.add(new Verifier(registry, backends, p.device(), p.name(), cases).run(ops));
            }
        }
        Verified verified = Verified.of(results);
        if (!verified.failures().isEmpty()) {
            terminal.print(verified);
            throw new VtException(
                    ErrorCode.KERNEL_FAILED,
                    "vt:verify: " + verified.failures().size() + " of " + verified.cases() + " cases failed");
        }
        return verified;
    }

    private static boolean eligible(ProviderStatus p) {
        return p.state() == Selection.State.SELECTED || p.state() == Selection.State.BELOW;
    }
}
