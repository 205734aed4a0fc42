package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Selection;
import dev.vt.api.spi.OpProvider;
import dev.vt.ops.OpTable;
import dev.vt.testkit.KernelBehaviour;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.SynchronousBundleListener;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.BundleWiring;

/** Bundles as such: what they demand, and what their coming and going does to others. */
class BundlesIT extends InFramework {
    private List<Bundle> ours() {
        return Arrays.stream(context.getBundles())
                .filter(b -> b.getSymbolicName().startsWith("dev.vt."))
                .toList();
    }

    @Test
    @DisplayName("O1.13 every bundle of ours demands Java 25 and was wired to it")
    void executionEnvironment() {
        assertEquals(10, ours().size(), ours().toString());
        for (Bundle b : ours()) {
            String demanded = b.getHeaders().get("Require-Capability");
            assertTrue(demanded.contains("(&(osgi.ee=JavaSE)(version=25))"), b + ": " + demanded);
            assertEquals(
                    1, b.adapt(BundleWiring.class).getRequiredWires("osgi.ee").size(), b.toString());
        }
    }

    @Test
    @DisplayName("O1.3 deploying, updating and removing a provider touches no other bundle")
    void onlyThatBundle() throws Exception {
        Map<String, Object> before = fingerprints();
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        SynchronousBundleListener listener = e -> {
            if (!e.getBundle().getSymbolicName().equals("test.provider.t-x")) {
                events.add(e.getBundle() + " event " + e.getType());
            }
        };
        context.addBundleListener(listener);
        try {
            // An import that bundles of ours have too, an optional one that nobody can fill, and one of a package of
            // the platform.
            String imports = "org.osgi.service.cm;resolution:=optional,com.acme;resolution:=optional,javax.crypto";
            Bundle b = install(provider("t-x", 90, 1).withImport(imports).build());
            assertEquals("t-x", selected());
            update(
                    b,
                    provider("t-x", 90, 2).version("1.1.0").withImport(imports).build());
            refresh(List.of(b));
            assertEquals(2f, call());
            uninstall(b);
        } finally {
            context.removeBundleListener(listener);
        }
        assertEquals(List.of(), events);
        assertEquals(before, fingerprints());
    }

    /** For each bundle its time of change, state and wiring. */
    private Map<String, Object> fingerprints() {
        Map<String, Object> out = new TreeMap<>();
        for (Bundle b : context.getBundles()) {
            out.put(
                    b.toString(),
                    List.of(
                            b.getLastModified(),
                            b.getState(),
                            System.identityHashCode(b.adapt(BundleWiring.class)),
                            b.adapt(BundleRevision.class).getVersion()));
        }
        return out;
    }

    @Test
    @DisplayName("O3.12 a bundle for another platform stays unresolved with a reason, and a provider for an absent "
            + "device is quiet")
    void otherPlatforms() throws Exception {
        Bundle mac = place(provider("t-mac", 90, 1)
                .header("Bundle-NativeCode", "lib/libx.dylib;osname=MacOSX;processor=aarch64")
                .withEntry("lib/libx.dylib", new byte[16])
                .build());
        assertThrows(BundleException.class, mac::start);
        assertEquals(Bundle.INSTALLED, mac.getState());
        install(bare("t-metal")
                .device(DeviceType.METAL)
                .priority(90)
                .kernel(OpTable.MATMUL_BT, KernelBehaviour.constant(1))
                .build());
        assertEquals(Device.of(DeviceType.METAL), status("t-metal").device());
        assertEquals(List.of(), chain("t-"));
        assertEquals(Caller.RIGHT, call());
    }

    @Test
    @DisplayName("S25 stopping and starting the registry brings every provider back with the same digest")
    void registryRestarts() throws Exception {
        install(provider("t-x", 90, 1).build());
        String digest = registry.digest();
        List<String> names = chain();
        Bundle bundle = bundle("dev.vt.registry");
        bundle.stop();
        try {
            assertNull(context.getServiceReference(OpRegistry.class));
        } finally {
            bundle.start();
        }
        find();
        assertEquals(names, chain());
        assertEquals(digest, registry.digest());
        assertEquals(1f, call());
    }

    @Test
    @DisplayName(
            "B9 B11 without the CPU backend there is no device and a sentence says so; it comes back with the same "
                    + "digest")
    void backendRestarts() throws Exception {
        String digest = registry.digest();
        Bundle bundle = bundle("dev.vt.backend.cpu");
        bundle.stop();
        try {
            assertEquals(List.of(), backends.statuses());
            assertEquals(List.of(), backends.backends());
            String message =
                    assertThrows(VtException.class, () -> backends.get(CPU)).getMessage();
            assertEquals("no backend is present for device cpu:0; no device is present", message);
            assertFalse(registry.registered(OpTable.MATMUL_BT, CPU));
        } finally {
            bundle.start();
        }
        assertEquals(digest, registry.digest());
        assertEquals(Selection.State.BELOW, link(OpProvider.NATIVE).state());
        assertEquals(Caller.RIGHT, call());
    }
}
