package dev.vt.shell.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.Level;
import dev.vt.conformance.spec.OpSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs the kit on the kernels of providers that the registry has, and tells the registry what it found. One thread. */
final class Verifier {
    private final OpRegistry registry;
    private final BackendRegistry backends;
    private final Level level;
    private final Progress progress;

    Verifier(OpRegistry registry, BackendRegistry backends, Level level, Progress progress) {
        this.registry = registry;
        this.backends = backends;
        this.level = level;
        this.progress = progress;
    }

    /** Runs the ops that a provider has a kernel for on a device. */
    Verified.Provider run(Device device, String provider, List<Op<?>> ops) {
        List<OpSpec> specs = new ArrayList<>();
        List<String> skipped = new ArrayList<>();
        for (Op<?> op : ops) {
            if (has(op, device, provider)) {
                Optional<OpSpec> spec = Conformance.spec(op);
                spec.ifPresentOrElse(specs::add, () -> skipped.add(op + ": the kit has no calls of it"));
            }
        }
        progress.start(
                provider + " on " + device,
                specs.stream().mapToInt(s -> s.plans(level).size()).sum());
        Conformance kit = new Conformance(level, progress);
        List<OpResult> results = new ArrayList<>();
        try {
            for (OpSpec spec : specs) {
                Optional<Subject> found = Subject.of(registry, spec.op(), device, provider);
                if (found.isEmpty()) {
                    skipped.add(spec.op() + ": " + why(spec.op(), device, provider));
                    continue;
                }
                try (Subject subject = found.get()) {
                    results.add(kit.run(spec, subject, backends.get(device)));
                }
                mark(spec.op(), device, provider, results.getLast());
            }
        } finally {
            progress.end();
        }
        return new Verified.Provider(device.toString(), provider, results, skipped);
    }

    /** A kernel that is wrong is not selected any more; one that is right again may be. */
    private void mark(Op<?> op, Device device, String provider, OpResult result) {
        if (!result.passed()) {
            registry.refuse(
                    op, device, provider, "vt:verify: " + result.failures().getFirst());
        } else if (result.served() > 0) {
            registry.readmit(op, device, provider);
        }
    }

    private boolean has(Op<?> op, Device device, String provider) {
        return registry.explain(op, device).chain().stream()
                .anyMatch(l -> l.name().equals(provider));
    }

    private String why(Op<?> op, Device device, String provider) {
        return registry.explain(op, device).chain().stream()
                .filter(l -> l.name().equals(provider))
                .map((Selection.Link l) -> l.state().label() + ": " + l.reason())
                .findFirst()
                .orElse("missing");
    }
}
