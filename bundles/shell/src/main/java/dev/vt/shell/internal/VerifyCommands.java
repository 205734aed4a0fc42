package dev.vt.shell.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.spi.OpProvider;
import dev.vt.conformance.spec.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Runs the conformance kit on the kernels that are here. Any thread. */
@Component(
        service = VerifyCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=verify"})
public final class VerifyCommands extends CommandGroup {
    private final OpRegistry registry;
    private final BackendRegistry backends;
    private final Lookup lookup;

    @Activate
    public VerifyCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        this.registry = registry;
        this.backends = backends;
        lookup = new Lookup(registry, backends);
    }

    @Command(
            value = "runs kernels on awkward calls and compares them with a reference in double precision; a kernel"
                    + " that fails is not selected any more",
            example = "vt:verify vt-native rms_norm --full")
    Verified verify(
            Terminal terminal,
            @Argument(name = "provider", about = "only this provider", optional = true) @Nullable String provider,
            @Argument(name = "op", about = "only this op", optional = true) @Nullable String op,
            @Option(names = "--full", about = "every size, offset, stride, dtype and pattern") boolean full,
            @Option(
                            names = {"-d", "--device"},
                            value = "DEVICE",
                            about = "only this device")
                    @Nullable
                    String device) {
        if (provider != null) {
            lookup.provider(provider);
        }
        List<Op<?>> ops = op == null ? lookup.ops() : List.of(lookup.op(op));
        Device only = device == null ? null : lookup.device(device);
        Verifier verifier = new Verifier(registry, backends, full ? Level.FULL : Level.QUICK, new Progress(terminal));
        List<Verified.Provider> results = new ArrayList<>();
        for (ProviderStatus p : registry.providers()) {
            if ((only == null || only.equals(p.device())) && wanted(p, provider)) {
                results.add(verifier.run(p.device(), p.name(), ops));
            }
        }
        Verified verified = Verified.of(results);
        if (verified.failed() > 0) {
            terminal.print(verified);
            throw new VtException(
                    ErrorCode.KERNEL_FAILED,
                    "vt:verify: " + verified.failed() + " of " + verified.cases() + " cases failed");
        }
        return verified;
    }

    private static boolean wanted(ProviderStatus p, @Nullable String provider) {
        boolean can = p.state() == Selection.State.SELECTED
                || p.state() == Selection.State.BELOW
                || p.state() == Selection.State.REFUSED;
        if (provider == null) {
            return can && !p.name().equals(OpProvider.REFERENCE);
        }
        if (p.name().equals(provider) && !can) {
            throw VtException.unsupported("vt:verify: " + p.name() + " on " + p.device() + " is "
                    + p.state().label() + ": " + p.reason());
        }
        return p.name().equals(provider);
    }
}
