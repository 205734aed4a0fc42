package dev.vt.shell.internal;

import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The whole state of selection in one report. Any thread. */
@Component(
        service = ReportCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=report"})
public final class ReportCommands extends CommandGroup {
    private final OpRegistry registry;
    private final DeviceCommands devices;

    @Activate
    public ReportCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        this.registry = registry;
        devices = new DeviceCommands(registry, backends);
    }

    /** One op on one device. */
    record Chosen(String op, String device, @Nullable String selected, List<ProviderCommands.LinkRow> chain) {
        static Chosen of(Selection s) {
            return new Chosen(
                    s.op(),
                    s.device().toString(),
                    s.selected(),
                    s.chain().stream().map(ProviderCommands.LinkRow::of).toList());
        }

        private List<Object> cells() {
            List<String> rest = chain.stream()
                    .filter(l -> !l.name().equals(selected))
                    .map(l -> l.name() + " (" + l.state() + ")")
                    .toList();
            return List.of(op, device, Page.text(selected), rest);
        }
    }

    /** Devices, selections and their digest. */
    record Report(Rows<DeviceCommands.DeviceRow> devices, List<Chosen> selections, String digest) implements View {
        @Override
        public void show(Page page) {
            devices.show(page);
            page.line("");
            page.table(
                    List.of("op", "device", "selected", "others"),
                    selections.stream().map(Chosen::cells).toList());
            page.line("");
            page.line("digest " + digest);
        }
    }

    /** The digest alone. */
    record Digest(String digest) implements View {
        @Override
        public void show(Page page) {
            page.value(digest);
        }
    }

    @Command(
            value = "shows devices and selections, and a digest that is equal where the same would be chosen",
            example = "vt:report --digest")
    View report(@Option(names = "--digest", about = "only the digest") boolean digest) {
        if (digest) {
            return new Digest(registry.digest());
        }
        List<Chosen> chosen = registry.selections().stream().map(Chosen::of).toList();
        return new Report(devices.devices(), chosen, registry.digest());
    }
}
