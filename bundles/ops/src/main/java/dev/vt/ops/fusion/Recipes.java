package dev.vt.ops.fusion;

import static dev.vt.ops.fusion.Slot.Role.INPUT;
import static dev.vt.ops.fusion.Slot.Role.IN_OUT;
import static dev.vt.ops.fusion.Slot.Role.OUTPUT;
import static dev.vt.ops.fusion.Slot.Role.SCRATCH;
import static dev.vt.ops.fusion.Slot.Role.WEIGHT;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.ops.NearNames;
import dev.vt.ops.OpTable;
import dev.vt.ops.fusion.Slot.Role;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.FusedStep.Form;
import dev.vt.ops.kernel.StepCode;
import java.util.List;

/** All recipes. Slots are numbered in the order in which they are given; constants, any thread. */
public final class Recipes {
    /** e4m3 of rms_norm(x): x [T,H], weight [H], norm [T,H] bf16, out [T,H] i8. Numbers: eps, gemma, scale. */
    public static final Recipe RMS_NORM_QUANT_FP8 = recipe(
            OpTable.RMS_NORM_QUANT_FP8,
            slots(slot("x", INPUT), slot("weight", WEIGHT), slot("norm", SCRATCH), slot("out", OUTPUT)),
            FusedStep.rmsNorm(Form.CHOSEN, 2, 0, 1),
            FusedStep.of(StepCode.QUANT_FP8, 3, 2));

    /**
     * e4m3 of rms_norm_gated(x, gate): x, gate, norm (bf16) and out (i8) of one shape, rank 2 or 3, weight [D]. Numbers: eps, sigmoid,
     * scale.
     */
    public static final Recipe RMS_NORM_GATED_QUANT_FP8 = recipe(
            OpTable.RMS_NORM_GATED_QUANT_FP8,
            slots(
                    slot("x", INPUT),
                    slot("gate", INPUT),
                    slot("weight", WEIGHT),
                    slot("norm", SCRATCH),
                    slot("out", OUTPUT)),
            new FusedStep(StepCode.GATED_RMS_NORM, Form.CHOSEN, List.of(3), List.of(0, 1), List.of(2)),
            FusedStep.of(StepCode.QUANT_FP8, 4, 3));

    /** nvfp4 of silu(gate) * up: gate, up and product (bf16) [M,K], packed and scale i8. Numbers: globalScale, layout. */
    public static final Recipe SILU_MUL_FP4_QUANT = recipe(
            OpTable.SILU_MUL_FP4_QUANT,
            slots(
                    slot("gate", INPUT),
                    slot("up", INPUT),
                    slot("product", SCRATCH),
                    slot("packed", OUTPUT),
                    slot("scale", OUTPUT)),
            FusedStep.of(StepCode.SILU_MUL, 2, 0, 1),
            new FusedStep(StepCode.QUANT_FP4, Form.PLAIN, List.of(3, 4), List.of(2), List.of()));

    /** nvfp4 of attn * sigmoid(gate): attn f32 or bf16, gate f32, the rest as in {@link #SILU_MUL_FP4_QUANT}. */
    public static final Recipe SIGMOID_GATE_FP4_QUANT = recipe(
            OpTable.SIGMOID_GATE_FP4_QUANT,
            slots(
                    slot("attn", INPUT),
                    slot("gate", INPUT),
                    slot("product", SCRATCH),
                    slot("packed", OUTPUT),
                    slot("scale", OUTPUT)),
            FusedStep.of(StepCode.SIGMOID_GATE, 2, 0, 1),
            new FusedStep(StepCode.QUANT_FP4, Form.PLAIN, List.of(3, 4), List.of(2), List.of()));

    /** residual += x, then rms_norm of it in the gemma form: x, residual and out [T,H], weight [H]. Numbers: eps. */
    public static final Recipe FUSED_ADD_RMS_NORM = addNorm("fused_add_rms_norm", Form.GEMMA);

    /** residual += x, then rms_norm of it in the plain form. */
    public static final Recipe FUSED_ADD_RMS_NORM_STD = addNorm("fused_add_rms_norm_std", Form.PLAIN);

    /** e4m3 of silu(gate) * up: gate, up and product (bf16) [M,K], out [M,K] i8. Numbers: scale. */
    public static final Recipe SILU_MUL_QUANT_FP8 = new Recipe(
            "silu_mul_quant_fp8",
            null,
            slots(slot("gate", INPUT), slot("up", INPUT), slot("product", SCRATCH), slot("out", OUTPUT)),
            List.of(FusedStep.of(StepCode.SILU_MUL, 2, 0, 1), FusedStep.of(StepCode.QUANT_FP8, 3, 2)));

    /** What {@code attn_qk_norm_rope_gate} does, which is an op of the table; shapes as there. Numbers: eps. */
    public static final Recipe ATTN_QK_NORM_ROPE_GATE = new Recipe(
            "attn_qk_norm_rope_gate",
            null,
            slots(
                    slot("qGate", INPUT),
                    slot("k", INPUT),
                    slot("qNorm", WEIGHT),
                    slot("kNorm", WEIGHT),
                    slot("cosSin", INPUT),
                    slot("qOut", OUTPUT),
                    slot("kOut", OUTPUT),
                    slot("gateOut", OUTPUT)),
            List.of(new FusedStep(
                    StepCode.QK_NORM_ROPE_GATE, Form.GEMMA, List.of(5, 6, 7), List.of(0, 1, 4), List.of(2, 3))));

    /**
     * rms_norm of each head of q and k, then rope_from_cache: q and qOut [T,Hq,D], k and kOut [T,Hk,D], weights [D], cosSin
     * [P,rotaryDim] f32, positions [T]. Numbers: eps, gemma, interleaved.
     */
    public static final Recipe ATTN_QK_NORM_ROPE = new Recipe(
            "attn_qk_norm_rope",
            null,
            slots(
                    slot("q", INPUT),
                    slot("k", INPUT),
                    slot("qNorm", WEIGHT),
                    slot("kNorm", WEIGHT),
                    slot("cosSin", INPUT),
                    slot("positions", INPUT),
                    slot("qOut", OUTPUT),
                    slot("kOut", OUTPUT)),
            List.of(
                    FusedStep.rmsNorm(Form.CHOSEN, 6, 0, 2),
                    FusedStep.rmsNorm(Form.CHOSEN, 7, 1, 3),
                    new FusedStep(StepCode.ROPE, Form.PLAIN, List.of(6, 7), List.of(4, 5), List.of())));

    private static final List<Recipe> ALL = List.of(
            RMS_NORM_QUANT_FP8,
            RMS_NORM_GATED_QUANT_FP8,
            SILU_MUL_FP4_QUANT,
            SIGMOID_GATE_FP4_QUANT,
            FUSED_ADD_RMS_NORM,
            FUSED_ADD_RMS_NORM_STD,
            SILU_MUL_QUANT_FP8,
            ATTN_QK_NORM_ROPE_GATE,
            ATTN_QK_NORM_ROPE);

    private Recipes() {}

    /** Those with an op of their own first. */
    public static List<Recipe> all() {
        return ALL;
    }

    /** The recipe of a name, or an error that lists what comes near. */
    public static Recipe get(String name) {
        List<String> names = ALL.stream().map(Recipe::name).toList();
        return ALL.stream()
                .filter(r -> r.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> VtException.notFound("no recipe is named '" + name + "'" + NearNames.hint(name, names)));
    }

    private static Recipe recipe(Op<?> fastOp, List<Slot> slots, FusedStep... steps) {
        return new Recipe(fastOp.name(), fastOp, slots, List.of(steps));
    }

    private static Recipe addNorm(String name, Form form) {
        return new Recipe(
                name,
                null,
                slots(slot("x", INPUT), slot("weight", WEIGHT), slot("residual", IN_OUT), slot("out", OUTPUT)),
                List.of(FusedStep.of(StepCode.ADD, 2, 2, 0), FusedStep.rmsNorm(form, 3, 2, 1)));
    }

    private static List<Slot> slots(Slot... slots) {
        return List.of(slots);
    }

    private static Slot slot(String name, Role role) {
        return new Slot(name, role);
    }
}
