package dev.vt.registry.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.ProviderCaps;
import java.util.Comparator;
import java.util.Objects;

/**
 * One registered backend and what it said when it arrived; asked once, without a lock. Of several backends of a device the one with
 * the higher priority wins, then the smaller name, then the origin as for providers.
 */
record BackendEntry(
        Backend backend,
        Device device,
        String name,
        int priority,
        String id,
        ProviderCaps caps,
        Origin origin,
        Owner owner) {
    static final Comparator<BackendEntry> ORDER = Comparator.comparing(BackendEntry::priority)
            .reversed()
            .thenComparing(BackendEntry::name, Names.UTF8_ORDER)
            .thenComparing(BackendEntry::origin);

    static BackendEntry of(Backend backend, Origin origin) {
        return new BackendEntry(
                backend,
                Objects.requireNonNull(backend.device(), "device"),
                Objects.requireNonNull(backend.name(), "name"),
                backend.priority(),
                Objects.requireNonNull(backend.id(), "id"),
                Objects.requireNonNull(backend.caps(), "caps"),
                origin,
                new Owner(backend.name()));
    }
}
