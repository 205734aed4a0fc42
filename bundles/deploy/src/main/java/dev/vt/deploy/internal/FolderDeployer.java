package dev.vt.deploy.internal;

import dev.vt.deploy.Deployments;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * The component: reads the framework properties and owns the thread that watches the folder. While the framework comes up the
 * files that lie there are installed before the activation returns, so that they start in their turn with everything else.
 */
@Component(immediate = true)
public final class FolderDeployer implements Deployments {
    private static final System.Logger LOG = System.getLogger("dev.vt.deploy");
    private static final long STOP_SECONDS = 10;

    private final CountDownLatch stop = new CountDownLatch(1);
    private final long pollMillis;
    private final @Nullable Deployer deployer;
    private final @Nullable Thread thread;

    @Activate
    public FolderDeployer(BundleContext context) {
        pollMillis = number(context, "vt.deploy.poll", 300);
        String folder = context.getProperty("vt.deploy.dir");
        if (folder == null) {
            LOG.log(Level.INFO, "the framework property vt.deploy.dir is not set, so no folder is watched");
            deployer = null;
            thread = null;
            return;
        }
        makeFolder(Path.of(folder));
        BundleInstaller installer = new BundleInstaller(context, (int) number(context, "vt.deploy.startlevel", 7));
        Path staging = context.getDataFile("staging").toPath();
        Deployer own = new Deployer(Path.of(folder), staging, Gate.OPEN, installer);
        if (installer.beforeStartLevel()) {
            own.pass();
        }
        deployer = own;
        thread = Thread.ofPlatform()
                .name("vt deploy")
                .daemon()
                .inheritInheritableThreadLocals(false)
                .start(() -> watch(own));
    }

    @Override
    public List<Deployment> list() {
        return deployer == null ? List.of() : deployer.list();
    }

    @Deactivate
    void stop() {
        stop.countDown();
        if (thread == null) {
            return;
        }
        try {
            // Not interrupted at once: it may be inside a bundle's start.
            if (!thread.join(Duration.ofSeconds(STOP_SECONDS))) {
                LOG.log(Level.WARNING, "the thread ''{0}'' is still busy after {1} s", thread.getName(), STOP_SECONDS);
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch(Deployer own) {
        try {
            while (!stop.await(pollMillis, TimeUnit.MILLISECONDS)) {
                pass(own);
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "stopped");
        }
    }

    /** One file's trouble never ends the watching; once the framework goes down, trouble is to be expected. */
    private void pass(Deployer own) {
        try {
            own.pass();
        } catch (RuntimeException e) {
            if (stop.getCount() > 0) {
                LOG.log(Level.ERROR, "a look at the deploy folder failed", e);
            }
        }
    }

    private static void makeFolder(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the deploy folder " + folder + " can't be made", e);
        }
    }

    private static long number(BundleContext context, String property, long otherwise) {
        String text = Objects.requireNonNullElse(context.getProperty(property), "");
        if (text.matches("[1-9][0-9]{0,8}")) {
            return Long.parseLong(text);
        }
        if (!text.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "{0}: expected a number above 0, given ''{1}''; taking {2}",
                    property,
                    text,
                    otherwise);
        }
        return otherwise;
    }
}
