package dev.vt.launcher;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.SynchronousBundleListener;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import org.osgi.framework.startlevel.BundleStartLevel;

/**
 * One run of the framework, from the first folder to the last. {@link Main} makes it and calls it once. However the process
 * ends (a command, the shell's end, SIGTERM, Ctrl-C), the framework is stopped in order first, within a bounded time.
 */
final class Launcher {
    private static final System.Logger LOG = System.getLogger("dev.vt.launcher");
    private static final String STOP_SECONDS = "vt.stop.seconds";

    private final Path home;
    private final Arguments arguments;

    Launcher(Path home, Arguments arguments) {
        this.home = home;
        this.arguments = arguments;
    }

    /** Runs until the framework has stopped; gives the exit code. */
    int run() throws IOException, BundleException, InterruptedException {
        ProcessLog log = ProcessLog.open(home);
        PrivateCache cache = PrivateCache.open(home);
        Map<String, String> properties = properties(cache.folder());
        Framework framework = framework(properties);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> end(framework, stopMillis(properties), cache, log), "vt end"));
        framework.init();
        Exit exit = new Exit(framework);
        watch(framework, exit, stopMillis(properties));
        ServiceRegistration<?> service = framework
                .getBundleContext()
                .registerService(IntConsumer.class, exit, new Hashtable<>(Map.of("vt.exit", Boolean.TRUE)));
        install(framework.getBundleContext());
        framework.start();
        LOG.log(
                Level.INFO,
                "started: {0} bundles from {1}",
                framework.getBundleContext().getBundles().length,
                home);
        if (arguments.batch() && !exit.given() && service.getReference().getUsingBundles() == null) {
            System.err.println("vt: no bundle here runs commands: " + notStarted(framework));
            exit.accept(1);
        }
        framework.waitForStop(0);
        return exit.code();
    }

    private Map<String, String> properties(Path cache) throws IOException {
        Map<String, String> all = Configuration.read(home, cache);
        switch (arguments) {
            case Arguments.Commands commands -> all.put("vt.exec", commands.text());
            case Arguments.Script script -> all.put("vt.script", script.file().toString());
            default -> {}
        }
        return all;
    }

    private static Framework framework(Map<String, String> properties) {
        FrameworkFactory factory = ServiceLoader.load(FrameworkFactory.class)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no OSGi framework in lib/"));
        Map<Object, Object> all = new HashMap<>(properties);
        all.put("felix.log.logger", new FrameworkLog());
        @SuppressWarnings({"unchecked", "rawtypes"}) // the map also carries an object, which Felix documents
        Map<String, String> given = (Map) all;
        return factory.newFramework(given);
    }

    private static long stopMillis(Map<String, String> properties) {
        return 1000 * Long.parseLong(properties.getOrDefault(STOP_SECONDS, "15"));
    }

    private void install(BundleContext context) throws IOException, BundleException {
        for (SystemBundles.Jar jar : SystemBundles.list(home.resolve("system"), !arguments.batch())) {
            Bundle bundle = context.installBundle("reference:" + jar.file().toUri());
            bundle.adapt(BundleStartLevel.class).setStartLevel(jar.level());
            if (bundle.getHeaders().get(Constants.FRAGMENT_HOST) == null) {
                bundle.start(Bundle.START_ACTIVATION_POLICY);
            }
        }
    }

    /** Ends a process whose bundles don't stop in time. */
    private static void watch(Framework framework, Exit exit, long millis) {
        BundleContext context = framework.getBundleContext();
        context.addBundleListener((SynchronousBundleListener) event -> {
            if (event.getType() == BundleEvent.STOPPING && event.getBundle().getBundleId() == 0) {
                Thread.ofPlatform().daemon().name("vt stop limit").start(() -> limit(framework, exit, millis));
            }
        });
    }

    private static void limit(Framework framework, Exit exit, long millis) {
        if (!stopped(framework, millis)) {
            System.err.println("vt: gave up after " + millis / 1000 + " s: still stopping " + notStopped(framework));
            Runtime.getRuntime().halt(Math.max(1, exit.code()));
        }
    }

    /** The shutdown hook: also runs after a normal end, where the framework has stopped already. */
    private static void end(Framework framework, long millis, PrivateCache cache, ProcessLog log) {
        try {
            framework.stop();
            LOG.log(Level.INFO, stopped(framework, millis) ? "stopped" : "not stopped in time");
            cache.close();
            log.close();
        } catch (BundleException | IOException e) {
            System.err.println("vt: at the end: " + OneLine.reason(e));
        }
    }

    private static boolean stopped(Framework framework, long millis) {
        try {
            return framework.waitForStop(millis).getType() != FrameworkEvent.WAIT_TIMEDOUT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String notStopped(Framework framework) {
        BundleContext context = framework.getBundleContext();
        return context == null ? "the framework" : names(context, Bundle.STOPPING | Bundle.ACTIVE);
    }

    private static String notStarted(Framework framework) {
        String names = names(framework.getBundleContext(), Bundle.INSTALLED | Bundle.RESOLVED);
        return names.isEmpty() ? "system/ has no shell bundle" : "not started: " + names + "; see the log";
    }

    private static String names(BundleContext context, int states) {
        return Arrays.stream(context.getBundles())
                .filter(b -> b.getBundleId() != 0 && (b.getState() & states) != 0)
                .map(Bundle::getSymbolicName)
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
