package dev.vt.testkit;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.fusion.FusedCall;
import dev.vt.ops.fusion.Recipe;
import dev.vt.ops.fusion.Recipes;
import dev.vt.ops.fusion.Slot;
import dev.vt.ops.kernel.ScaleLayout;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Bound recipes with the same random data on any device whose memory the host can address. */
final class FusedData {
    private static final long TOKENS = 5;
    private static final long WIDTH = 48;
    private static final long HEADS = 3;
    private static final long KEY_HEADS = 2;
    private static final long HEAD = 16;
    private static final long ROTARY = 8;

    private final Backend backend;
    private final DType dtype;
    private final SplittableRandom random = new SplittableRandom(42);
    private final List<Tensor> written = new ArrayList<>();

    private FusedData(Backend backend, DType dtype) {
        this.backend = backend;
        this.dtype = dtype;
    }

    /** A call and the tensors that it must write. */
    record Bound(FusedCall call, List<Tensor> outputs) {
        /** What the outputs hold. */
        List<byte[]> bytes() {
            return outputs.stream()
                    .map(t -> t.segment().asSlice(t.offset(), t.byteSpan()).toArray(ValueLayout.JAVA_BYTE))
                    .toList();
        }
    }

    /** The recipe with inputs of one dtype; {@code special} takes the other forms of its numbers. */
    static Bound bind(Recipe recipe, Backend backend, DType dtype, boolean special) {
        FusedData data = new FusedData(backend, dtype);
        FusedCall.Builder b = recipe.bind()
                .eps(1e-5f)
                .gemma(special)
                .sigmoid(special)
                .interleaved(special)
                .scale(0.02f)
                .blockScales(99f, special ? ScaleLayout.SWIZZLED : ScaleLayout.LINEAR);
        for (Slot slot : recipe.slots()) {
            Tensor t = data.tensor(recipe, slot, special);
            b.tensor(slot.name(), t);
            if (slot.role() == Slot.Role.OUTPUT || slot.role() == Slot.Role.IN_OUT) {
                data.written.add(t);
            }
        }
        return new Bound(b.build(), data.written);
    }

    private Tensor tensor(Recipe recipe, Slot slot, boolean special) {
        if (recipe == Recipes.ATTN_QK_NORM_ROPE || recipe == Recipes.ATTN_QK_NORM_ROPE_GATE) {
            return attention(recipe == Recipes.ATTN_QK_NORM_ROPE_GATE, slot);
        }
        if (recipe == Recipes.RMS_NORM_GATED_QUANT_FP8
                && special
                && !slot.name().equals("weight")) {
            return floats(type(slot), TOKENS, HEADS, WIDTH);
        }
        if (recipe == Recipes.SIGMOID_GATE_FP4_QUANT) {
            // attn is f32 or bf16, gate f32.
            DType wanted = slot.name().equals("gate") || dtype == DType.F16 ? DType.F32 : dtype;
            if (slot.role() == Slot.Role.INPUT) {
                return floats(wanted, TOKENS, WIDTH);
            }
        }
        return switch (slot.name()) {
            case "weight" -> floats(dtype, WIDTH);
            case "packed" -> floats(DType.I8, TOKENS, WIDTH / 2);
            case "scale" -> {
                ScaleLayout layout = special ? ScaleLayout.SWIZZLED : ScaleLayout.LINEAR;
                yield floats(DType.I8, layout.rows(TOKENS), layout.groups(WIDTH / 16));
            }
            case "out" -> floats(recipe.chain().isPresent() ? stored() : DType.I8, TOKENS, WIDTH);
            default -> floats(type(slot), TOKENS, WIDTH);
        };
    }

    private DType type(Slot slot) {
        return switch (slot.role()) {
            case SCRATCH -> DType.BF16;
            case IN_OUT -> stored();
            case OUTPUT -> DType.I8;
            default -> dtype;
        };
    }

    private DType stored() {
        return dtype == DType.BF16 ? DType.BF16 : DType.F32;
    }

    private Tensor attention(boolean gated, Slot slot) {
        return switch (slot.name()) {
            case "qGate" -> floats(dtype, TOKENS, 2 * HEADS * HEAD);
            case "q" -> floats(dtype, TOKENS, HEADS, HEAD);
            case "k" -> gated ? floats(dtype, TOKENS, KEY_HEADS * HEAD) : floats(dtype, TOKENS, KEY_HEADS, HEAD);
            case "qNorm", "kNorm" -> floats(dtype, HEAD);
            case "cosSin" -> floats(DType.F32, TOKENS, ROTARY);
            case "positions" -> positions();
            case "kOut" -> floats(gated ? DType.F32 : stored(), TOKENS, KEY_HEADS, HEAD);
            default -> floats(gated ? DType.F32 : stored(), TOKENS, HEADS, HEAD);
        };
    }

    private Tensor positions() {
        Tensor t = Tensor.of(backend.allocate(8 * TOKENS), DType.I64, TOKENS);
        for (long i = 0; i < TOKENS; i++) {
            t.segment().setAtIndex(ValueLayout.JAVA_LONG, i, TOKENS - 1 - i);
        }
        return t;
    }

    /** Random numbers of a dtype; random bytes for i8. */
    private Tensor floats(DType type, long... shape) {
        long bytes = Tensor.bytes(type, shape);
        Memory memory = backend.allocate(bytes);
        Tensor t = Tensor.of(memory, type, shape);
        for (long i = 0; i < t.elements(); i++) {
            float v = (float) random.nextGaussian();
            switch (type) {
                case F32 -> memory.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, v);
                case F16 -> memory.segment().setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(v));
                case BF16 ->
                    memory.segment().setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(v) >>> 16));
                default -> memory.segment().set(ValueLayout.JAVA_BYTE, i, (byte) 0x5a);
            }
        }
        return t;
    }
}
