package dev.vt.backend.cuda.internal.kernel.rope;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.RangeCheck;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFromCache;
import org.jspecify.annotations.Nullable;

/** {@code rope_from_cache}: all positions are looked at first, by each block where they are few, else by a launch before. */
final class RopeFromCacheKernel implements RopeFromCache {
    private final RangeCheck check = new RangeCheck(FaultSite.ROPE_POSITIONS);
    private final KernelFunction f32;
    private final KernelFunction f32Wide;
    private final KernelFunction bf16;
    private final KernelFunction bf16Wide;
    private final KernelFunction f32Neighbours;
    private final KernelFunction f32NeighboursWide;
    private final KernelFunction bf16Neighbours;
    private final KernelFunction bf16NeighboursWide;

    RopeFromCacheKernel(KernelModule module) {
        f32 = module.function("rope_f32_1");
        f32Wide = module.function("rope_f32_4");
        bf16 = module.function("rope_bf16_1");
        bf16Wide = module.function("rope_bf16_8");
        f32Neighbours = module.function("rope_neighbours_f32_1");
        f32NeighboursWide = module.function("rope_neighbours_f32_4");
        bf16Neighbours = module.function("rope_neighbours_bf16_1");
        bf16NeighboursWide = module.function("rope_neighbours_bf16_8");
    }

    @Override
    public Outcome run(
            Queue queue,
            Tensor q,
            @Nullable Tensor k,
            Tensor cosSin,
            Tensor positions,
            boolean interleaved,
            @Nullable MropeSections sections) {
        Outcome no = Heads.decline(q, k);
        no = no != null ? no : Operand.dense(cosSin);
        no = no != null ? no : Operand.dense(positions);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(q, cosSin, positions);
            if (k != null) {
                cuda.uses(k);
            }
        }
        if (q.dim(0) > 0) {
            launch(cuda, q, k, cosSin, positions, interleaved, sections);
        }
        return Outcome.SERVED;
    }

    private void launch(
            LaunchQueue cuda,
            Tensor q,
            @Nullable Tensor k,
            Tensor cosSin,
            Tensor positions,
            boolean interleaved,
            @Nullable MropeSections sections) {
        boolean few = positions.elements() <= RangeCheck.FEW;
        if (!few) {
            check.launch(cuda, positions, 0, cosSin.dim(0) - 1);
        }
        int rotary = (int) cosSin.dim(1);
        boolean wide = Heads.wide(q, k, rotary) && Operand.at16(cosSin, rotary / 2);
        try (Launch launch = cuda.launch(kernel(q, interleaved, wide))) {
            Heads.arguments(launch, q, k);
            Heads.positions(launch, positions, RangeCheck.wide(positions), q.dim(0), sections)
                    .tensor(cosSin)
                    .i64(cosSin.dim(0))
                    .i32(rotary)
                    .i32(check.number())
                    .i32(few ? 1 : 0)
                    .run(q.dim(0), Heads.threads(q, k, rotary, wide));
        }
    }

    private KernelFunction kernel(Tensor q, boolean interleaved, boolean wide) {
        if (q.dtype() == DType.F32) {
            return interleaved ? (wide ? f32NeighboursWide : f32Neighbours) : (wide ? f32Wide : f32);
        }
        return interleaved ? (wide ? bf16NeighboursWide : bf16Neighbours) : (wide ? bf16Wide : bf16);
    }
}
