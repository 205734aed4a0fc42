package dev.vt.shell.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.MemoryUse;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.registry.BackendStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** What devices there are and what they can do. Any thread. */
@Component(
        service = DeviceCommands.class,
        property = {
            "osgi.command.scope=vt",
            "osgi.command.function=devices",
            "osgi.command.function=caps",
            "osgi.command.function=reference-tier"
        })
public final class DeviceCommands extends CommandGroup {
    private static final MemoryUse NO_MEMORY = new MemoryUse(0, 0, 0, 0, 0);

    private final OpRegistry registry;
    private final BackendRegistry backends;
    private final Lookup lookup;

    @Activate
    public DeviceCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        this.registry = registry;
        this.backends = backends;
        lookup = new Lookup(registry, backends);
    }

    /** What a device published for predicates. */
    record Caps(boolean valid, int major, int minor, int units, List<String> features) {}

    /** A device, or the lack of one. */
    record DeviceRow(
            String device,
            String name,
            String id,
            String state,
            String reason,
            boolean unified,
            boolean hostAddressable,
            Caps caps,
            String backend,
            boolean software,
            MemoryUse memory) {}

    @Command(value = "lists the devices, and those that a backend looked for and did not find", example = "vt:devices")
    Rows<DeviceRow> devices() {
        return Rows.of(backends.statuses().stream().map(this::row).toList())
                .column("device", DeviceRow::device)
                .column("name", DeviceRow::name)
                .column("backend", DeviceRow::backend)
                .column("state", DeviceRow::state)
                .column("units", r -> r.caps().units())
                .column("unified", DeviceRow::unified)
                .column("host-addressable", DeviceRow::hostAddressable)
                .column("reason", DeviceRow::reason)
                .ifEmpty("no device is present");
    }

    private DeviceRow row(BackendStatus status) {
        Optional<Backend> backend =
                status.state() == BackendStatus.State.PRESENT ? backends.tryGet(status.device()) : Optional.empty();
        return new DeviceRow(
                status.device().toString(),
                backend.map(Backend::description).orElse(""),
                backend.map(Backend::id).orElse(""),
                status.state().label(),
                status.reason(),
                backend.map(Backend::unifiedMemory).orElse(false),
                backend.map(Backend::hostAddressable).orElse(false),
                caps(status.device()),
                status.backend(),
                backend.map(Backend::software).orElse(false),
                backend.map(Backend::memoryUse).orElse(NO_MEMORY));
    }

    private Caps caps(Device device) {
        ProviderCaps caps = registry.caps(device);
        return new Caps(caps.valid(), caps.major(), caps.minor(), caps.units(), features(device, caps));
    }

    /** The names of the bits, where the backend is there to tell them; else their numbers. */
    private List<String> features(Device device, ProviderCaps caps) {
        List<String> names = backends.tryGet(device).map(Backend::featureNames).orElse(List.of());
        if (names.size() == Long.bitCount(caps.features())) {
            return names;
        }
        List<String> bits = new ArrayList<>();
        for (int i = 0; i < Long.SIZE; i++) {
            if ((caps.features() >>> i & 1) != 0) {
                bits.add("bit-" + i);
            }
        }
        return bits;
    }

    /** The caps of one device. */
    record DeviceCaps(String device, boolean valid, int major, int minor, int units, List<String> features)
            implements View {
        @Override
        public void show(Page page) {
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("device", device);
            facts.put("valid", valid);
            facts.put("capability", major + "." + minor);
            facts.put("units", units);
            facts.put("features", features);
            page.facts(facts);
        }
    }

    @Command(value = "shows what a device published for the predicates of providers", example = "vt:caps cpu")
    DeviceCaps caps(
            @Argument(name = "device", about = "a device, such as cpu, cuda:1 or a device's id") String device) {
        Device d = lookup.device(device);
        Caps caps = caps(d);
        return new DeviceCaps(d.toString(), caps.valid(), caps.major(), caps.minor(), caps.units(), caps.features());
    }

    /** Whether a device borrows the CPU's kernels. */
    record Tier(String device, String state, long hits) {}

    @Command(
            value = "says whether a device may borrow the CPU's kernels, and why not",
            example = "vt:reference-tier cpu")
    Rows<Tier> referenceTier(
            @Argument(name = "device", about = "only this device", optional = true) @Nullable String device) {
        long hits = registry.referenceHits();
        return Rows.of(lookup.devices(device).stream()
                        .map(d -> new Tier(d.toString(), registry.referenceTier(d), hits))
                        .toList())
                .column("device", Tier::device)
                .column("state", Tier::state)
                .ifEmpty("no device is present")
                .footer("reference hits of this process: " + hits);
    }
}
