package dev.vt.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.fusion.Fused;
import dev.vt.ops.fusion.FusedCall;
import dev.vt.ops.fusion.Realisation;
import dev.vt.ops.fusion.Recipe;
import dev.vt.ops.fusion.Recipes;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.StepCode;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Fused recipes as data, and the choice of their realisation")
class FusionTest {
    private final List<String> called = new ArrayList<>();
    private final Set<Op<?>> registered = new HashSet<>();
    private final Set<Op<?>> declining = new HashSet<>();

    private final Dispatcher dispatcher = new Dispatcher() {
        @Override
        public <K> void call(Op<K> op, Queue queue, KernelCall<K> call) {
            called.add(op.name());
            if (declining.contains(op)) {
                throw new NoKernelException("no kernel of " + op);
            }
        }
    };

    private Fused fused(boolean interpreter) {
        OpRegistry registry = (OpRegistry) Proxy.newProxyInstance(
                FusionTest.class.getClassLoader(), new Class<?>[] {OpRegistry.class}, (proxy, method, args) -> {
                    assertEquals("registered", method.getName());
                    return registered.contains(args[0]);
                });
        return new Fused(registry, dispatcher, interpreter);
    }

    private static Tensor tensor(DType dtype, long... dims) {
        return ContractCases.tensor(ContractCases.CPU, dtype, dims);
    }

    private static FusedCall.Builder addNorm() {
        return Recipes.FUSED_ADD_RMS_NORM
                .bind()
                .tensor("x", tensor(DType.F32, 3, 4))
                .tensor("weight", tensor(DType.F32, 4))
                .tensor("residual", tensor(DType.F32, 3, 4))
                .tensor("out", tensor(DType.F32, 3, 4));
    }

    private static FusedCall.Builder quant() {
        return Recipes.RMS_NORM_QUANT_FP8
                .bind()
                .tensor("x", tensor(DType.F32, 3, 4))
                .tensor("weight", tensor(DType.F32, 4))
                .tensor("norm", tensor(DType.BF16, 3, 4))
                .tensor("out", tensor(DType.I8, 3, 4));
    }

    @Test
    @DisplayName("Nine recipes: at most 8 steps, 8 slots, 3 inputs a step, 12 step codes; four have an op of their own")
    void data() {
        assertEquals(9, Recipes.all().size());
        assertEquals(12, StepCode.values().length);
        for (Recipe recipe : Recipes.all()) {
            assertTrue(recipe.steps().size() <= 8 && recipe.slots().size() <= 8, recipe.name());
            for (FusedStep step : recipe.steps()) {
                assertTrue(step.inputs().size() <= 3, recipe.name());
            }
            assertEquals(recipe, Recipes.get(recipe.name()));
        }
        List<String> own = Recipes.all().stream()
                .filter(r -> r.fastOp().isPresent())
                .map(Recipe::name)
                .toList();
        assertEquals(
                List.of(
                        "rms_norm_quant_fp8",
                        "rms_norm_gated_quant_fp8",
                        "silu_mul_fp4_quant",
                        "sigmoid_gate_fp4_quant"),
                own);
        assertEquals(
                List.of("fused_add_rms_norm", "fused_add_rms_norm_std"),
                Recipes.all().stream()
                        .filter(r -> r.chain().isPresent())
                        .map(Recipe::name)
                        .toList());
        VtException e = assertThrows(VtException.class, () -> Recipes.get("fused_add_rmsnorm"));
        assertTrue(
                e.getMessage().startsWith("no recipe is named 'fused_add_rmsnorm'; near names: fused_add_rms_norm"),
                e.getMessage());
    }

    @Test
    @DisplayName("Own op first; where it serves no call, the single ops")
    void bespoke() {
        FusedCall call = quant().build();
        assertEquals(Realisation.COMPOSITE, fused(true).run(ContractCases.QUEUE, call));
        registered.add(OpTable.RMS_NORM_QUANT_FP8);
        assertEquals(Realisation.BESPOKE, fused(true).run(ContractCases.QUEUE, call));
        declining.add(OpTable.RMS_NORM_QUANT_FP8);
        assertEquals(Realisation.COMPOSITE, fused(true).run(ContractCases.QUEUE, call));
        assertEquals(
                List.of(
                        "rms_norm",
                        "quant_fp8_static",
                        "rms_norm_quant_fp8",
                        "rms_norm_quant_fp8",
                        "rms_norm",
                        "quant_fp8_static"),
                called);
    }

    @Test
    @DisplayName("The interpreter only where it is on and registered")
    void interpreter() {
        FusedCall call = addNorm().build();
        assertEquals(Realisation.COMPOSITE, fused(true).run(ContractCases.QUEUE, call));
        assertEquals(
                "composite: the recipe has no op of its own, and fused_chain has no native kernel on cpu:0",
                fused(true).explain(call.recipe(), ContractCases.CPU).toString());
        registered.add(OpTable.FUSED_CHAIN);
        assertEquals(Realisation.COMPOSITE, fused(false).run(ContractCases.QUEUE, call));
        assertEquals(Realisation.CHAIN, fused(true).run(ContractCases.QUEUE, call));
        assertEquals(
                "chain: the recipe has no op of its own, and fused_chain has a native kernel",
                fused(true).explain(call.recipe(), ContractCases.CPU).toString());
        declining.add(OpTable.FUSED_CHAIN);
        assertEquals(Realisation.COMPOSITE, fused(true).run(ContractCases.QUEUE, call));
        assertEquals(
                List.of("add", "rms_norm", "add", "rms_norm", "fused_chain", "fused_chain", "add", "rms_norm"), called);
    }

    @Test
    @DisplayName("S12 a call that any realisation would refuse is refused before a step is queued")
    void checkedFirst() {
        FusedCall wrong = quant().scale(0).build();
        VtException e = assertThrows(VtException.class, () -> fused(true).run(ContractCases.QUEUE, wrong));
        assertEquals("rms_norm_quant_fp8: argument scale: expected a finite number above 0, given 0.0", e.getMessage());
        FusedCall shape = Recipes.SILU_MUL_QUANT_FP8
                .bind()
                .tensor("gate", tensor(DType.F32, 3, 4))
                .tensor("up", tensor(DType.F32, 3, 4))
                .tensor("product", tensor(DType.BF16, 3, 4))
                .tensor("out", tensor(DType.I8, 3, 5))
                .build();
        assertThrows(VtException.class, () -> fused(true).run(ContractCases.QUEUE, shape));
        assertThrows(
                VtException.class,
                () -> fused(true).run(ContractCases.QUEUE, addNorm().eps(-1).build()));
        assertEquals(List.of(), called);
    }

    @Test
    @DisplayName("S12 a slot without a tensor, scratch of another dtype, shared memory, an unknown slot are refused")
    void binding() {
        assertEquals(
                "rms_norm_quant_fp8: argument x: expected a tensor, given none",
                refusal(() -> Recipes.RMS_NORM_QUANT_FP8.bind().build()));
        assertEquals(
                "rms_norm_quant_fp8: argument norm: expected dtype bf16, given f32[3,4]",
                refusal(() -> quant().tensor("norm", tensor(DType.F32, 3, 4)).build()));
        Tensor x = tensor(DType.F32, 3, 4);
        assertEquals(
                "fused_add_rms_norm: argument out: expected memory apart from that of x, given f32[3,4] in it",
                refusal(() -> addNorm().tensor("x", x).tensor("out", x).build()));
        assertEquals(
                "recipe fused_add_rms_norm: expected one of [x, weight, residual, out], given 'gate'",
                refusal(() -> addNorm().tensor("gate", x)));
        FusedCall call =
                addNorm().tensor("x", x).blockScales(2, ScaleLayout.SWIZZLED).build();
        assertEquals(x, call.tensor("x"));
        assertEquals("fused_add_rms_norm", call.recipe().toString());
    }

    private static String refusal(Runnable call) {
        return assertThrows(VtException.class, call::run).getMessage();
    }
}
