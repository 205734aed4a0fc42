package dev.vt.registry.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.op.Selection.State;
import dev.vt.api.spi.OpProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the provider whose kernel is to be marked as wrong, or as right again. Used under the lock of {@link SelectionCore}. */
final class Marks {
    private Marks() {}

    static ProviderEntry find(
            List<ProviderEntry> entries, @Nullable Route route, Op<?> op, Device device, String provider) {
        if (provider.equals(OpProvider.REFERENCE)) {
            throw VtException.invalidArgument("op " + op + " on " + device + ": the kernels of " + OpProvider.REFERENCE
                    + " are the CPU's; refuse the provider there");
        }
        List<Link> chain = route == null ? List.of() : route.chain;
        for (Link link : chain) {
            if (link.name.equals(provider) && link.state != State.REJECTED) {
                for (ProviderEntry e : entries) {
                    if (e.owner == link.owner) {
                        return e;
                    }
                }
            }
        }
        String there = chain.isEmpty()
                ? "none"
                : String.join(", ", chain.stream().map(l -> l.name).toList());
        throw VtException.notFound(
                "op " + op + " on " + device + ": no provider is named '" + provider + "'; there are " + there);
    }
}
