package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.deploy.Deployments;
import dev.vt.deploy.Deployments.Deployment;
import dev.vt.ops.NearNames;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** What became of the files in the deploy folder; there only while the deploy bundle is. Any thread. */
@Component(
        service = DeployCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=deploy"})
public final class DeployCommands extends CommandGroup {
    private static final List<String> ACTIONS = List.of("list", "reasons");

    private final Deployments deployments;

    @Activate
    public DeployCommands(@Reference Deployments deployments) {
        this.deployments = deployments;
    }

    @Command(
            value = "lists the files of the deploy folder, or why some of them are not active",
            example = "vt:deploy list")
    Rows<Deployment> deploy(
            @Argument(
                            name = "action",
                            about = "list (all files) or reasons (those that are not active)",
                            optional = true)
                    @Nullable
                    String action) {
        String wanted = action == null ? "list" : action;
        if (!ACTIONS.contains(wanted)) {
            throw VtException.invalidArgument(
                    "vt:deploy: expected list or reasons, given '" + wanted + "'" + NearNames.hint(wanted, ACTIONS));
        }
        boolean reasons = wanted.equals("reasons");
        List<Deployment> all = deployments.list();
        Rows<Deployment> rows = Rows.of(
                        reasons
                                ? all.stream()
                                        .filter(d -> !d.reason().isEmpty())
                                        .toList()
                                : all)
                .column("file", Deployment::file)
                .column("state", Deployment::state);
        if (!reasons) {
            rows.column("bundle", Deployment::bundle).column("version", Deployment::version);
        }
        return rows.column("reason", Deployment::reason)
                .ifEmpty(reasons ? "every file is active" : "the deploy folder is empty");
    }
}
