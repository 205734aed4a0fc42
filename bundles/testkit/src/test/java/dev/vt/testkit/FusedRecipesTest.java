package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.tensor.DType;
import dev.vt.ops.OpTable;
import dev.vt.ops.fusion.Fused;
import dev.vt.ops.fusion.Realisation;
import dev.vt.ops.fusion.Recipe;
import dev.vt.ops.fusion.Recipes;
import dev.vt.ops.kernel.RmsNormQuantFp8;
import dev.vt.registry.VtRuntime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Fused recipes give the same bytes whichever way they take")
class FusedRecipesTest {
    private static final VtRuntime RUNTIME = VtRuntime.load();
    private static final Device CPU = Device.of(DeviceType.CPU);
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F16, DType.BF16);

    static Stream<Recipe> recipes() {
        return Recipes.all().stream();
    }

    @AfterAll
    static void close() {
        RUNTIME.close();
    }

    private static Backend cpu() {
        return RUNTIME.backends().get(CPU);
    }

    /** The registry, but for what it says about one op. */
    private static OpRegistry without(Op<?> op) {
        return (OpRegistry) Proxy.newProxyInstance(
                FusedRecipesTest.class.getClassLoader(), new Class<?>[] {OpRegistry.class}, (proxy, method, args) -> {
                    if (method.getName().equals("registered") && op.equals(args[0])) {
                        return false;
                    }
                    try {
                        return method.invoke(RUNTIME.ops(), args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recipes")
    @DisplayName("on the CPU: the recipe's own op, the interpreter and the single ops agree byte for byte")
    void agree(Recipe recipe) {
        for (DType dtype : FLOATS) {
            for (boolean special : new boolean[] {false, true}) {
                List<byte[]> single = run(recipe, dtype, special, Realisation.COMPOSITE);
                if (recipe.fastOp().isPresent()) {
                    assertSame(single, run(recipe, dtype, special, Realisation.BESPOKE), recipe + " " + dtype);
                }
                if (recipe.chain().isPresent()) {
                    assertSame(single, run(recipe, dtype, special, Realisation.CHAIN), recipe + " " + dtype);
                }
            }
        }
    }

    private static List<byte[]> run(Recipe recipe, DType dtype, boolean special, Realisation wanted) {
        Op<?> hidden =
                wanted == Realisation.BESPOKE ? OpTable.RELU : recipe.fastOp().orElse(OpTable.RELU);
        Fused fused = new Fused(without(hidden), RUNTIME.ops(), wanted == Realisation.CHAIN);
        FusedData.Bound bound = FusedData.bind(recipe, cpu(), dtype, special);
        List<byte[]> before = bound.bytes();
        try (Queue queue = cpu().createQueue()) {
            assertEquals(wanted, fused.run(queue, bound.call()));
            queue.synchronize();
        }
        List<byte[]> after = bound.bytes();
        for (int i = 0; i < after.size(); i++) {
            assertFalse(Arrays.equals(before.get(i), after.get(i)), recipe + ": output " + i + " is untouched");
        }
        return after;
    }

    private static void assertSame(List<byte[]> expected, List<byte[]> actual, String what) {
        assertEquals(expected.size(), actual.size(), what);
        for (int i = 0; i < expected.size(); i++) {
            assertArrayEquals(expected.get(i), actual.get(i), what + " output " + i);
        }
    }

    @Test
    @DisplayName("The order is: own op, interpreter where it is on, single ops; explain says the same as run")
    void order() {
        Fused on = new Fused(RUNTIME.ops(), RUNTIME.ops(), true);
        Fused off = new Fused(RUNTIME.ops(), RUNTIME.ops(), false);
        for (Recipe recipe : Recipes.all()) {
            Realisation last = recipe.chain().isPresent() ? Realisation.CHAIN : Realisation.COMPOSITE;
            Realisation first = recipe.fastOp().isPresent() ? Realisation.BESPOKE : last;
            assertEquals(first, on.explain(recipe, CPU).realisation(), recipe.name());
            Realisation without = recipe.fastOp().isPresent() ? Realisation.BESPOKE : Realisation.COMPOSITE;
            assertEquals(without, off.explain(recipe, CPU).realisation(), recipe.name());
        }
        assertEquals(
                "composite: the recipe has no op of its own, and the interpreter is off (VT_FUSED_TIER=1 switches it"
                        + " on)",
                off.explain(Recipes.FUSED_ADD_RMS_NORM, CPU).toString());
        assertEquals(
                "bespoke: rms_norm_quant_fp8 has a native kernel on cpu:0",
                on.explain(Recipes.RMS_NORM_QUANT_FP8, CPU).toString());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recipes")
    @DisplayName("S11 S29 on a device that borrows the CPU's kernels the reference tier never counts: single ops, same"
            + " bytes")
    void referenceTier(Recipe recipe) {
        try (DeviceDouble device = TestDevices.unified().open();
                VtRuntime.Registration _ = RUNTIME.add(device);
                Queue queue = device.createQueue()) {
            Fused fused = new Fused(RUNTIME.ops(), RUNTIME.ops(), true);
            RUNTIME.ops().installReferenceTier(device.device());
            assertTrue(RUNTIME.ops().providerCount(OpTable.FUSED_CHAIN, device.device()) > 0);
            assertEquals(
                    Realisation.COMPOSITE,
                    fused.explain(recipe, device.device()).realisation());
            FusedData.Bound bound = FusedData.bind(recipe, device, DType.F32, false);
            long hits = RUNTIME.ops().referenceHits();
            assertEquals(Realisation.COMPOSITE, fused.run(queue, bound.call()));
            queue.synchronize();
            assertEquals(recipe.steps().size(), RUNTIME.ops().referenceHits() - hits);
            assertSame(run(recipe, DType.F32, false, Realisation.COMPOSITE), bound.bytes(), recipe.name());
        }
    }

    @Test
    @DisplayName("A native kernel that arrives is taken at the next call, and left when it leaves")
    void arrives() {
        AtomicInteger calls = new AtomicInteger();
        RmsNormQuantFp8 kernel = (queue, out, copy, x, weight, residual, eps, gemma, scale) -> {
            calls.incrementAndGet();
            return Outcome.SERVED;
        };
        try (DeviceDouble device = TestDevices.unified().open();
                VtRuntime.Registration _ = RUNTIME.add(device);
                Queue queue = device.createQueue()) {
            Fused fused = new Fused(RUNTIME.ops());
            FusedData.Bound bound = FusedData.bind(Recipes.RMS_NORM_QUANT_FP8, device, DType.BF16, true);
            assertEquals(Realisation.COMPOSITE, fused.run(queue, bound.call()));
            VtRuntime.Registration provider = RUNTIME.add(new One(kernel));
            assertEquals(Realisation.BESPOKE, fused.run(queue, bound.call()));
            assertEquals(1, calls.get());
            provider.close();
            assertEquals(Realisation.COMPOSITE, fused.run(queue, bound.call()));
            assertEquals(1, calls.get());
            queue.synchronize();
        }
    }

    /** A provider of one kernel for the double. */
    private record One(RmsNormQuantFp8 kernel) implements OpProvider {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public int priority() {
            return 5;
        }

        @Override
        public DeviceType deviceType() {
            return TestDevices.UNIFIED;
        }

        @Override
        public KernelSet kernels() {
            return KernelSet.builder().put(OpTable.RMS_NORM_QUANT_FP8, kernel).build();
        }
    }
}
