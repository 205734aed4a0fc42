package dev.vt.itests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Policy;
import dev.vt.api.op.ProviderStatus;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.pax.jupiter.PaxExamTest;
import dev.vt.testkit.Eventually;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.ProviderBundle;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.inject.Inject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.wiring.FrameworkWiring;
import org.osgi.service.cm.ConfigurationAdmin;

/**
 * What the tests inside a framework share: all bundles, ways to install provider bundles and to ask the registry, and a
 * clean registry for each test. The bundles that a test installed go with it.
 */
@PaxExamTest
abstract class InFramework {
    static final Device CPU = Device.of(DeviceType.CPU);

    /** Long against anything that works. */
    static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    BundleContext context;

    OpRegistry registry;
    BackendRegistry backends;
    Ops ops;
    private final List<Bundle> installed = new ArrayList<>();

    @Configuration
    static Option[] framework() {
        return Frameworks.complete();
    }

    @BeforeEach
    final void find() {
        registry = service(OpRegistry.class);
        backends = service(BackendRegistry.class);
        ops = new Ops(registry);
    }

    @AfterEach
    final void tidy() throws Exception {
        uninstall(installed.toArray(Bundle[]::new));
        find();
        registry.disabled().forEach(registry::enable);
        registry.policy(CPU, Policy.DEFAULT);
        registry.countCalls(false);
    }

    // ---- services and bundles ----

    /** The service of a type, as soon as there is one. */
    final <S> S service(Class<S> type) {
        return Eventually.within(SOON)
                .see(
                        "service " + type.getName(),
                        () -> {
                            ServiceReference<S> reference = context.getServiceReference(type);
                            return reference == null ? null : context.getService(reference);
                        },
                        s -> s != null);
    }

    final ConfigurationAdmin configurations() {
        return service(ConfigurationAdmin.class);
    }

    final Backend cpu() {
        return backends.get(CPU);
    }

    /** A bundle of ours. */
    final Bundle bundle(String symbolicName) {
        return Arrays.stream(context.getBundles())
                .filter(b -> symbolicName.equals(b.getSymbolicName()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no bundle is named " + symbolicName));
    }

    /** Describes a provider whose matmul_bt writes one value. */
    static ProviderBundle.Builder provider(String name, int priority, float value) {
        return bare(name).priority(priority).kernel(OpTable.MATMUL_BT, KernelBehaviour.constant(value));
    }

    /** Describes a provider without kernels. */
    static ProviderBundle.Builder bare(String name) {
        Path bundles = Frameworks.bundles();
        // Inside a framework classes come from no files that a compiler could read.
        return ProviderBundle.named(name)
                .classPath(List.of(
                        bundles.resolve("vt-api.jar"),
                        bundles.resolve("vt-ops.jar"),
                        bundles.resolve("vt-backend-cpu.jar")));
    }

    final Bundle install(ProviderBundle bundle) throws BundleException {
        Bundle b = place(bundle);
        b.start();
        return b;
    }

    /** Installs without starting. */
    final Bundle place(ProviderBundle bundle) throws BundleException {
        Bundle b = context.installBundle("test:" + bundle.symbolicName(), new ByteArrayInputStream(bundle.bytes()));
        installed.add(b);
        return b;
    }

    static void update(Bundle bundle, ProviderBundle next) throws BundleException {
        bundle.update(new ByteArrayInputStream(next.bytes()));
    }

    static void update(Bundle bundle, Path jar) throws BundleException, IOException {
        bundle.update(new ByteArrayInputStream(Files.readAllBytes(jar)));
    }

    final void uninstall(Bundle... bundles) throws BundleException, InterruptedException {
        List<Bundle> gone = new ArrayList<>();
        for (Bundle b : bundles) {
            if (b.getState() != Bundle.UNINSTALLED) {
                b.uninstall();
                gone.add(b);
            }
            installed.remove(b);
        }
        if (!gone.isEmpty()) {
            refresh(gone);
        }
    }

    final void refresh(List<Bundle> bundles) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        context.getBundle(0).adapt(FrameworkWiring.class).refreshBundles(bundles, event -> done.countDown());
        assertTrue(done.await(SOON.toSeconds(), TimeUnit.SECONDS), "refresh of " + bundles);
    }

    // ---- the registry ----

    final Selection why() {
        return registry.explain(OpTable.MATMUL_BT, CPU);
    }

    final String selected() {
        return why().selected();
    }

    final void awaitSelected(String name) {
        Eventually.within(SOON).see("selected", this::selected, name::equals);
    }

    /** The names in the chain of matmul_bt, in order. */
    final List<String> chain() {
        return why().chain().stream().map(Selection.Link::name).toList();
    }

    /** Those of them that are the test's own. */
    final List<String> chain(String prefix) {
        return chain().stream().filter(n -> n.startsWith(prefix)).toList();
    }

    final Selection.Link link(String name) {
        return link(l -> l.name().equals(name));
    }

    final Selection.Link link(Predicate<Selection.Link> which) {
        return why().chain().stream()
                .filter(which)
                .findFirst()
                .orElseThrow(() -> new AssertionError("not in " + why()));
    }

    final ProviderStatus status(String name) {
        return registry.providers().stream()
                .filter(p -> p.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not in " + registry.providers()));
    }

    /** The result of one call. */
    final float call() {
        try (Caller caller = new Caller(cpu())) {
            return caller.call(ops);
        }
    }
}
