package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Op;
import dev.vt.api.spi.AdmissionTest;
import dev.vt.api.spi.OpProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Judges by admission while one table is made, and notes what has to be tested. Used under the lock of {@link SelectionCore};
 * calls no foreign code.
 */
final class AdmissionRound {
    private static final Comparator<Trial> UPWARDS =
            Comparator.comparing(Trial::device).thenComparing(Trial::entry, TableBuilder.ORDER.reversed());

    private record Key(ProviderEntry entry, Device device) {}

    private final AdmissionTest.@Nullable Level level;
    private final Trial.@Nullable Kit kit;
    private final Map<Device, List<BackendEntry>> backends;
    private final Map<Key, Trial> wanted = new HashMap<>();
    private final TreeSet<String> pending = new TreeSet<>();

    AdmissionRound(
            AdmissionTest.@Nullable Level level, Trial.@Nullable Kit kit, Map<Device, List<BackendEntry>> backends) {
        this.level = level;
        this.kit = kit;
        this.backends = backends;
    }

    /** Why admission keeps a kernel out that nothing else keeps out; null when it does not. */
    @Nullable
    String refusal(ProviderEntry e, Op<?> op, Device device) {
        if (level == null) {
            return null;
        }
        List<BackendEntry> present = backends.get(device);
        if (present == null) {
            return "admission: no backend of " + device + " is present to test it on";
        }
        BackendEntry backend = present.get(0);
        if (exempt(e, backend)) {
            return null;
        }
        Trial trial = new Trial(e, backend, kit, level);
        Trial.Result known = e.admission(backend);
        if (known == null || known.outdated(trial)) {
            String reason = kit == null ? "waits for the test kit" : "being tested";
            wanted.putIfAbsent(new Key(e, device), trial);
            pending.add(trial + ": " + reason);
            if (known == null) {
                return "admission: " + reason;
            }
        }
        return known.failures().get(op);
    }

    /** The CPU backend's own kernels are what others are compared with. */
    private static boolean exempt(ProviderEntry e, BackendEntry backend) {
        return e.name().equals(OpProvider.NATIVE)
                && backend.device().type().equals(DeviceType.CPU)
                && e.origin.sameSource(backend.origin());
    }

    /** A provider that some thread is asking about itself may turn out to need a test. */
    void asking(ProviderEntry e) {
        if (level != null) {
            pending.add(e.name() + ": being asked");
        }
    }

    /** The tests to run, from the lowest provider up: a kernel that hands on to those below it finds them there. */
    List<Trial> wanted() {
        List<Trial> all = new ArrayList<>(wanted.values());
        all.sort(UPWARDS);
        return all;
    }

    /** What is not decided yet, sorted. */
    List<String> pending() {
        return List.copyOf(pending);
    }
}
