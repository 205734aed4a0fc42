package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.testkit.LeakCheck;
import dev.vt.testkit.ProviderBundle;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.wiring.BundleWiring;

/** Class loaders of providers that left. */
class LeakIT extends InFramework {
    @Test
    @DisplayName("O1.7 a provider called from pool threads and updated 20 times leaves at most one old class loader")
    void updates() throws Exception {
        List<ProviderBundle> versions = List.of(
                provider("t-x", 90, 1).build(),
                provider("t-x", 90, 2).version("1.1.0").build());
        LeakCheck check = new LeakCheck();
        Bundle b = install(versions.get(0));
        try (Caller caller = new Caller(cpu());
                ExecutorService pool = Executors.newFixedThreadPool(4)) {
            for (int i = 1; i <= 20; i++) {
                watch(check, b, "revision " + i);
                List<Callable<Float>> calls = List.of(() -> caller.call(ops), this::call, this::call);
                for (Future<Float> f : pool.invokeAll(calls)) {
                    assertEquals(i % 2 == 1 ? 1f : 2f, f.get());
                }
                update(b, versions.get(i % 2));
                refresh(List.of(b));
            }
            // The pool's threads are still alive: what they keep counts.
            check.assertAtMost(1, SOON);
        }
        uninstall(b);
        check.assertCollected(SOON);
    }

    @Test
    @DisplayName("O1.7 S18 an uninstalled provider that was selected, called and captured leaves nothing behind")
    void uninstalled() throws Exception {
        LeakCheck check = new LeakCheck();
        Bundle b = install(provider("t-x", 90, 1).build());
        watch(check, b, "t-x");
        try (Caller caller = new Caller(cpu())) {
            assertEquals(1f, caller.call(ops));
            caller.queue.beginCapture();
            caller.submit(ops);
            caller.queue.endCapture().close();
            uninstall(b);
            check.assertCollected(SOON);
        }
    }

    @Test
    @DisplayName("O1.7 the vector provider, used and refreshed, leaves its class loader")
    void vector() throws Exception {
        cycle("dev.vt.provider.vector");
    }

    @Test
    @DisplayName("O1.7 the shell leaves its class loader")
    void shell() throws Exception {
        cycle("dev.vt.shell");
    }

    /** Stops, updates to the same bytes, refreshes and starts a bundle that no other is wired to. */
    private void cycle(String symbolicName) throws Exception {
        LeakCheck check = new LeakCheck();
        Bundle b = bundle(symbolicName);
        assertEquals(List.of(), b.adapt(BundleWiring.class).getProvidedWires("osgi.wiring.package"), "wired to it");
        watch(check, b, symbolicName);
        assertEquals(Caller.RIGHT, call());
        b.stop();
        b.update();
        refresh(List.of(b));
        b.start();
        assertEquals(Caller.RIGHT, call());
        check.assertCollected(SOON);
    }

    private static void watch(LeakCheck check, Bundle bundle, String name) {
        check.watch(name, bundle.adapt(BundleWiring.class).getClassLoader());
    }
}
