package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.ops.Ops;
import dev.vt.pax.jupiter.PaxExamTest;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.inject.Inject;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.framework.wiring.FrameworkWiring;

/**
 * Class loaders of bundles that others are wired to. A refresh restarts those others, so neither the test kit nor
 * anything else that ties this test to the bundle may be here.
 */
@PaxExamTest
class WiredLeakIT {
    private static final int SECONDS = 20;

    @Inject
    private BundleContext context;

    @Inject
    private OpRegistry registry;

    @Inject
    private BackendRegistry backends;

    @Configuration
    static Option[] framework() {
        return Frameworks.withoutTestKit();
    }

    @ParameterizedTest(
            name = "O1.7 {0}, used, removed and refreshed with those wired to it, leaves its class loader and no"
                    + " thread")
    @ValueSource(strings = {"dev.vt.backend.cpu", "dev.vt.model", "dev.vt.deploy"})
    void leaves(String symbolicName) throws Exception {
        call();
        List<String> threads = threads();
        String digest = registry.digest();
        ReferenceQueue<ClassLoader> collected = new ReferenceQueue<>();
        WeakReference<ClassLoader> loader = cycle(symbolicName, collected);
        call();
        assertEquals(digest, registry.digest());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while ((loader.get() != null || !threads.equals(threads())) && System.nanoTime() - end < 0) {
            System.gc();
            collected.remove(20);
        }
        assertNull(loader.get(), "still reachable");
        assertEquals(threads, threads());
    }

    /** Updates a bundle to the same bytes and refreshes it; no local variable of the caller holds its loader. */
    private WeakReference<ClassLoader> cycle(String symbolicName, ReferenceQueue<ClassLoader> collected)
            throws Exception {
        Bundle bundle = Arrays.stream(context.getBundles())
                .filter(b -> symbolicName.equals(b.getSymbolicName()))
                .findFirst()
                .orElseThrow();
        WeakReference<ClassLoader> loader =
                new WeakReference<>(bundle.adapt(BundleWiring.class).getClassLoader(), collected);
        assertNotNull(loader.get());
        bundle.update();
        CountDownLatch done = new CountDownLatch(1);
        context.getBundle(0).adapt(FrameworkWiring.class).refreshBundles(List.of(bundle), event -> done.countDown());
        assertTrue(done.await(SECONDS, TimeUnit.SECONDS));
        return loader;
    }

    private void call() {
        try (Caller caller = new Caller(backends.get(Device.of(DeviceType.CPU)))) {
            assertEquals(Caller.RIGHT, caller.call(new Ops(registry)));
        }
    }

    /** Names of our threads, without their numbers. */
    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(t -> t.getName().replaceAll("[0-9]+", "N"))
                .filter(n -> n.startsWith("vt-"))
                .sorted()
                .toList();
    }
}
