package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Memory;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Selection;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import dev.vt.testkit.ProviderBundle.Place;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.jar.JarInputStream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Provider bundles made on the fly")
class ProviderBundleTest {
    @TempDir
    Path folder;

    @Test
    @DisplayName("The jar has manifest, component and classes, and the same description gives the same bytes")
    void jar() throws IOException {
        ProviderBundle bundle = fast().build();
        assertArrayEquals(bundle.bytes(), fast().build().bytes());
        assertEquals(bundle.digest(), fast().build().digest());
        try (JarInputStream in = new JarInputStream(new ByteArrayInputStream(bundle.bytes()))) {
            assertEquals(
                    "test.provider.fast", in.getManifest().getMainAttributes().getValue("Bundle-SymbolicName"));
            assertEquals("2.1.0", in.getManifest().getMainAttributes().getValue("Bundle-Version"));
        }
        Path file = bundle.writeTo(folder);
        try (ZipFile zip = new ZipFile(file.toFile())) {
            String xml = new String(
                    zip.getInputStream(zip.getEntry("OSGI-INF/provider.xml")).readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(xml.contains("name=\"vt.provider.priority\" type=\"Integer\" value=\"50\""), xml);
            assertTrue(zip.stream().anyMatch(e -> e.getName().endsWith("/GeneratedProvider.class")));
        }
    }

    private static ProviderBundle.Builder fast() {
        return ProviderBundle.named("fast")
                .version("2.1.0")
                .priority(50)
                .kernel(OpTable.RELU, KernelBehaviour.constant(7))
                .kernel(OpTable.ADD, KernelBehaviour.declines("a \"quoted\" reason, \u00e9"));
    }

    @Test
    @DisplayName("S8 a priority of any type gets into the component, or is left out")
    void oddPriorities() throws IOException {
        Object[] priorities = {"50", 50L, 50.0, "fifty", new int[] {1, 2}, 'x', true, null};
        String[] expected = {
            "type=\"String\" value=\"50\"", "type=\"Long\" value=\"50\"", "type=\"Double\" value=\"50.0\"",
            "type=\"String\" value=\"fifty\"", "type=\"Integer\">1\n2</property>", "type=\"Character\" value=\"x\"",
            "type=\"Boolean\" value=\"true\"", "<scr:component"
        };
        for (int i = 0; i < priorities.length; i++) {
            Path file = ProviderBundle.named("p" + i)
                    .priority(priorities[i])
                    .build()
                    .writeTo(folder);
            try (ZipFile zip = new ZipFile(file.toFile())) {
                String xml = new String(
                        zip.getInputStream(zip.getEntry("OSGI-INF/provider.xml"))
                                .readAllBytes(),
                        StandardCharsets.UTF_8);
                assertTrue(xml.contains(expected[i]), xml);
                assertEquals(priorities[i] != null, xml.contains("vt.provider.priority"));
            }
        }
    }

    @Test
    @DisplayName("Behaviours: a constant, a decline with its reason, a failure now and later, half an output")
    void behaviours() {
        try (VtRuntime runtime = VtRuntime.empty();
                CpuBackend cpu = new CpuBackend(1);
                Queue queue = cpu.createQueue();
                Memory memory = cpu.allocate(256);
                Probe probe = Probe.open()) {
            runtime.add(cpu);
            runtime.add(fast().probe(probe)
                    .kernel(OpTable.CAST_F32, KernelBehaviour.throwing(LinkageError.class, "no link"))
                    .kernel(OpTable.MUL_SCALAR, KernelBehaviour.failsLater("too late"))
                    .kernel(OpTable.SOFT_CAP, KernelBehaviour.writesHalfThenThrows(3))
                    .build()
                    .load());
            Ops ops = new Ops(runtime.ops());
            Tensor out = Tensor.of(memory, DType.F32, 4);
            Tensor x = Tensor.of(memory, 64, DType.F32, 4);
            ops.relu(queue, out, x);
            queue.synchronize();
            assertEquals(7f, memory.segment().get(ValueLayout.JAVA_FLOAT, 12));
            assertTrue(assertThrows(VtException.class, () -> ops.add(queue, out, x, x))
                    .getMessage()
                    .contains("a \"quoted\" reason, \u00e9"));
            assertThrows(Throwable.class, () -> ops.castF32(queue, out, x));
            ops.mulScalar(queue, out, x, 2);
            assertTrue(assertThrows(VtException.class, queue::synchronize)
                    .getMessage()
                    .contains("too late"));
            assertThrows(Throwable.class, () -> ops.softCap(queue, out, x, 2));
            assertEquals(3f, memory.segment().get(ValueLayout.JAVA_FLOAT, 4));
            assertEquals(7f, memory.segment().get(ValueLayout.JAVA_FLOAT, 8));
            assertEquals(5, probe.calls());
            assertEquals(1, probe.calls("relu"));
            assertEquals(1, probe.made());
            assertEquals(1, probe.loaded());
        }
    }

    @Test
    @DisplayName("S16 a blocking kernel is entered, holds its provider's removal, and goes when released")
    void blocking() {
        Duration patience = Duration.ofSeconds(20);
        try (VtRuntime runtime = VtRuntime.empty();
                CpuBackend cpu = new CpuBackend(1);
                Queue queue = cpu.createQueue();
                Memory memory = cpu.allocate(256);
                Probe probe = Probe.open()) {
            runtime.add(cpu);
            VtRuntime.Registration provider = runtime.add(ProviderBundle.named("slow")
                    .probe(probe)
                    .kernel(OpTable.RELU, KernelBehaviour.blocks(1))
                    .build()
                    .load());
            Tensor x = Tensor.of(memory, DType.F32, 4);
            Thread caller = Thread.ofPlatform().start(() -> new Ops(runtime.ops()).relu(queue, x, x));
            probe.awaitEntered(patience);
            Thread remover = Thread.ofPlatform().start(provider::close);
            Eventually.within(patience)
                    .see(
                            "remover",
                            remover::getState,
                            s -> s == Thread.State.WAITING || s == Thread.State.TIMED_WAITING);
            assertTrue(caller.isAlive());
            probe.release();
            Eventually.within(patience).holds("both are done", () -> !caller.isAlive() && !remover.isAlive());
        }
    }

    @ParameterizedTest(name = "O1.11 {0}")
    @EnumSource(Place.class)
    @DisplayName("O1.11 a provider that throws at a place is rejected and the next one goes on")
    void throwing(Place place) {
        ProviderBundle bad = ProviderBundle.named("bad")
                .throwing(place, StackOverflowError.class, "thrown at " + place)
                .kernel(OpTable.RELU, KernelBehaviour.constant(1))
                .build();
        if (place == Place.CONSTRUCTOR || place == Place.STATIC_INITIALISER) {
            assertThrows(Error.class, bad::load);
            return;
        }
        try (VtRuntime runtime = VtRuntime.empty();
                CpuBackend cpu = new CpuBackend(1)) {
            runtime.add(cpu);
            runtime.add(bad.load());
            runtime.add(ProviderBundle.named("good")
                    .priority(1)
                    .kernel(OpTable.RELU, KernelBehaviour.constant(2))
                    .build()
                    .load());
            Selection selection = runtime.ops().explain(OpTable.RELU, cpu.device());
            assertEquals("good", selection.selected());
            assertTrue(
                    runtime.ops().providers().stream().anyMatch(p -> p.reason().contains("thrown at " + place)),
                    () -> runtime.ops().providers().toString());
        }
    }

    @Test
    @DisplayName("S5 supports is any expression over the caps")
    void supports() {
        OpProvider provider = ProviderBundle.named("picky")
                .device(DeviceType.CUDA)
                .supports("caps.valid() && caps.atLeast(9, 0)", "compute 9.0")
                .build()
                .load();
        Device cuda = Device.of(DeviceType.CUDA);
        assertEquals(DeviceType.CUDA, provider.deviceType());
        assertFalse(provider.supports(ProviderCaps.unknown(cuda)));
        assertTrue(provider.supports(new ProviderCaps(cuda, true, 10, 0, 1, 0)));
        assertEquals("compute 9.0", provider.requirement());
    }

    @Test
    @DisplayName("Extras: imports, natives, entries, sources, headers")
    void extras() throws IOException {
        Path file = ProviderBundle.named("extra")
                .withImport("com.acme;resolution:=optional")
                .withNativeLibrary("native/libx.so", new byte[] {1})
                .withEntry("a.txt", new byte[] {2})
                .withSource("test.extra.Helper", "package test.extra; public class Helper {}")
                .header("X-Test", "yes")
                .build()
                .writeTo(folder.resolve("x.jar"));
        try (java.util.jar.JarFile jar = new java.util.jar.JarFile(file.toFile())) {
            var main = jar.getManifest().getMainAttributes();
            assertTrue(main.getValue("Import-Package").endsWith(",com.acme;resolution:=optional"));
            assertTrue(main.getValue("Bundle-NativeCode").startsWith("native/libx.so;"));
            assertEquals("yes", main.getValue("X-Test"));
            assertTrue(jar.getEntry("native/libx.so") != null && jar.getEntry("test/extra/Helper.class") != null);
        }
        ProviderBundle.Builder wrong = ProviderBundle.named("wrong").supports("nonsense", "");
        assertTrue(assertThrows(IllegalArgumentException.class, wrong::build)
                .getMessage()
                .contains("nonsense"));
    }

    @Test
    @DisplayName("O1.1 a jar in slices: incomplete until the last, with the length growing or there at once")
    void slices() throws IOException {
        ProviderBundle bundle = fast().build();
        Path file = folder.resolve("sliced.jar");
        try (Slices slices = bundle.sliced(file, 20)) {
            while (slices.remaining() > 1) {
                slices.next();
                assertTrue(Files.size(file) < bundle.bytes().length);
            }
            slices.next();
            assertArrayEquals(bundle.bytes(), Files.readAllBytes(file));
            assertThrows(IllegalStateException.class, slices::next);
        }
        try (Slices slices = bundle.slicedSparse(file, 3)) {
            assertEquals(bundle.bytes().length, Files.size(file));
            slices.next();
            assertEquals(bundle.bytes().length, Files.size(file));
            slices.rest();
            assertEquals(3, 3 - slices.remaining());
            assertArrayEquals(bundle.bytes(), Files.readAllBytes(slices.file()));
        }
    }

    @Test
    @DisplayName("O1.7 a provider that nobody holds is collected with its class loader")
    void leaks() {
        LeakCheck check = new LeakCheck();
        watch(check);
        check.assertCollected(Duration.ofSeconds(30));
        Object held = new Object();
        check.watch("held", held);
        AssertionError e = assertThrows(AssertionError.class, () -> check.assertCollected(Duration.ofMillis(50)));
        assertTrue(e.getMessage().contains("held"), e.getMessage());
        java.lang.ref.Reference.reachabilityFence(held);
    }

    private static void watch(LeakCheck check) {
        OpProvider provider = fast().build().load();
        check.watch("provider", provider).watch("loader", provider.getClass().getClassLoader());
    }
}
