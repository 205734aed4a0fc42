package dev.vt.registry.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.registry.BackendStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The registry of backends over {@link SelectionCore}, and the reports of those that found nothing. */
final class BackendRegistryImpl implements BackendRegistry {
    private record ReportKey(Device device, String backend) {}

    private final SelectionCore core;
    private final Map<ReportKey, BackendStatus> reports =
            new TreeMap<>(Comparator.comparing(ReportKey::device).thenComparing(ReportKey::backend));

    BackendRegistryImpl(SelectionCore core) {
        this.core = core;
    }

    @Override
    public Backend get(Device device) {
        return tryGet(device)
                .orElseThrow(() -> new VtException(
                        ErrorCode.NOT_FOUND, "no backend is present for device " + device + "; " + present()));
    }

    @Override
    public Optional<Backend> tryGet(Device device) {
        return core.backend(device).map(BackendEntry::backend);
    }

    @Override
    public Device parse(String text) {
        String wanted = text.strip();
        for (BackendEntry b : core.backends()) {
            if (b.id().equalsIgnoreCase(wanted) || b.device().toString().equals(wanted)) {
                return b.device();
            }
        }
        for (BackendEntry b : core.backends()) {
            if (b.device().type().name().equals(wanted) && b.device().index() == 0) {
                return b.device();
            }
        }
        throw VtException.notFound("no device is named '" + text + "'; " + present());
    }

    private String present() {
        List<String> names = core.backends().stream()
                .map(b -> b.device() + " (id " + b.id() + ")")
                .toList();
        return names.isEmpty() ? "no device is present" : "present are " + String.join(", ", names);
    }

    @Override
    public List<Backend> backends() {
        return core.backends().stream().map(BackendEntry::backend).toList();
    }

    @Override
    public List<BackendStatus> statuses() {
        List<BackendStatus> out = new ArrayList<>();
        for (BackendEntry b : core.backends()) {
            out.add(new BackendStatus(b.device(), BackendStatus.State.PRESENT, b.name(), ""));
        }
        synchronized (reports) {
            for (BackendStatus r : reports.values()) {
                if (core.backend(r.device())
                        .filter(b -> b.name().equals(r.backend()))
                        .isEmpty()) {
                    out.add(r);
                }
            }
        }
        out.sort(Comparator.comparing(BackendStatus::device).thenComparing(BackendStatus::backend));
        return out;
    }

    @Override
    public void report(BackendStatus status) {
        synchronized (reports) {
            reports.put(new ReportKey(status.device(), status.backend()), status);
        }
    }

    @Override
    public void forget(Device device, String backend) {
        synchronized (reports) {
            reports.remove(new ReportKey(device, backend));
        }
    }
}
