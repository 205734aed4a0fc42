package dev.vt.deploy.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkListener;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.osgi.framework.startlevel.FrameworkStartLevel;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;

/**
 * What the deployer does to the framework. A bundle comes without any refresh; a replaced or removed one takes along only the
 * bundles wired to it. Its caller is the deployer's thread and holds no lock.
 */
final class BundleInstaller {
    /** What the locations of deployed bundles start with; the rest is the file's name. */
    static final String LOCATION = "vt-deploy:";

    private static final System.Logger LOG = System.getLogger("dev.vt.deploy");
    private static final long REFRESH_SECONDS = 30;

    private final BundleContext context;
    private final int startLevel;

    BundleInstaller(BundleContext context, int startLevel) {
        this.context = context;
        this.startLevel = startLevel;
    }

    /** Bundles that an earlier life of the deployer installed. */
    List<Bundle> deployed() {
        return Arrays.stream(context.getBundles())
                .filter(b -> b.getLocation().startsWith(LOCATION))
                .toList();
    }

    static String file(Bundle bundle) {
        return bundle.getLocation().substring(LOCATION.length());
    }

    /** Every installed bundle with this symbolic name, deployed or built in. */
    List<Bundle> named(String symbolicName) {
        return Arrays.stream(context.getBundles())
                .filter(b -> symbolicName.equals(b.getSymbolicName()))
                .toList();
    }

    Bundle install(Staged staged) throws BundleException, IOException {
        try (InputStream in = Files.newInputStream(staged.copy())) {
            Bundle bundle = context.installBundle(LOCATION + staged.file(), in);
            bundle.adapt(BundleStartLevel.class).setStartLevel(startLevel);
            return bundle;
        }
    }

    /** Replaces the content; the bundle is stopped afterwards, and what was wired to it is refreshed. */
    void update(Bundle bundle, Staged staged) throws BundleException, IOException {
        bundle.stop(Bundle.STOP_TRANSIENT);
        try (InputStream in = Files.newInputStream(staged.copy())) {
            bundle.update(in);
        }
        refresh(bundle);
    }

    void uninstall(Bundle bundle) throws BundleException {
        bundle.uninstall();
        refresh(bundle);
    }

    /** True when taking this bundle's present wiring away would take the deployer along. */
    boolean holdsDeployer(Bundle bundle) {
        return wiring().getDependencyClosure(List.of(bundle)).contains(context.getBundle());
    }

    /**
     * Starts the bundle, or, below its start level, has the framework start it later.
     *
     * @return why it is not started, as one line; empty when it is
     */
    Optional<String> start(Bundle bundle) {
        if ((bundle.adapt(BundleRevision.class).getTypes() & BundleRevision.TYPE_FRAGMENT) != 0) {
            return Optional.empty();
        }
        try {
            bundle.start(Bundle.START_ACTIVATION_POLICY);
            return Optional.empty();
        } catch (BundleException e) {
            return Optional.of(reason(e));
        }
    }

    /** True while the framework, on its way up, has not come to the level of deployed bundles. */
    boolean beforeStartLevel() {
        return context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION)
                        .adapt(FrameworkStartLevel.class)
                        .getStartLevel()
                < startLevel;
    }

    private void refresh(Bundle bundle) {
        Collection<Bundle> closure = wiring().getDependencyClosure(List.of(bundle));
        CountDownLatch done = new CountDownLatch(1);
        wiring().refreshBundles(List.of(bundle), (FrameworkListener) event -> done.countDown());
        try {
            if (!done.await(REFRESH_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "refreshing {0} takes more than {1} s; going on",
                        closure,
                        REFRESH_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private FrameworkWiring wiring() {
        return context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class);
    }

    /** The innermost cause names what is really wrong. */
    static String reason(Throwable failure) {
        Throwable inner = failure;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        String text = inner.getMessage() == null ? inner.toString() : inner.getMessage();
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
