package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Widths;
import dev.vt.backend.cuda.internal.launch.FaultSite;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import org.jspecify.annotations.Nullable;

/** {@code gdn_state_gather} and {@code gdn_state_scatter}: one launch, which looks at all slots before it writes. Immutable. */
final class DeltaStates {
    private static final int WIDTH = 4;

    /** Blocks of a state; each goes on over the rest. */
    private static final long BLOCKS = 256;

    private final Widths gatherF32;
    private final Widths gatherBf16;
    private final Widths scatterF32;
    private final Widths scatterBf16;

    DeltaStates(KernelModule module) {
        gatherF32 = new Widths(module, "gdn_state_gather_f32", WIDTH);
        gatherBf16 = new Widths(module, "gdn_state_gather_bf16", WIDTH);
        scatterF32 = new Widths(module, "gdn_state_scatter_f32", WIDTH);
        scatterBf16 = new Widths(module, "gdn_state_scatter_bf16", WIDTH);
    }

    Outcome gather(Queue queue, Tensor state, Tensor cache, Tensor stateIndices) {
        Outcome no = declined(state, cache, stateIndices);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(state, cache, stateIndices);
        }
        Widths widths = cache.dtype() == DType.F32 ? gatherF32 : gatherBf16;
        FaultSite site = FaultSite.GDN_STATE_GATHER_SLOTS;
        run(cuda, widths, state, cache, state, cache, stateIndices, site);
        return Outcome.SERVED;
    }

    Outcome scatter(Queue queue, Tensor cache, Tensor state, Tensor stateIndices) {
        Outcome no = declined(state, cache, stateIndices);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(cache, state, stateIndices);
        }
        Widths widths = cache.dtype() == DType.F32 ? scatterF32 : scatterBf16;
        FaultSite site = FaultSite.GDN_STATE_SCATTER_SLOTS;
        run(cuda, widths, cache, state, state, cache, stateIndices, site);
        return Outcome.SERVED;
    }

    private static @Nullable Outcome declined(Tensor state, Tensor cache, Tensor stateIndices) {
        Outcome no = Operand.dense(state);
        no = no != null ? no : Operand.slots(cache);
        return no != null ? no : Operand.dense(stateIndices);
    }

    private static void run(
            LaunchQueue cuda,
            Widths widths,
            Tensor to,
            Tensor from,
            Tensor state,
            Tensor cache,
            Tensor slots,
            FaultSite site) {
        long count = state.dim(0);
        if (count == 0) {
            return;
        }
        long each = state.elements() / count;
        long stride = cache.dim(0) > 1 ? cache.stride(0) : each;
        boolean fits = widths.fits(state) && widths.fits(cache) && stride % WIDTH == 0;
        long blocks = Math.clamp(Math.ceilDiv(each, (long) Grid.THREADS * widths.width(fits)), 1, BLOCKS);
        try (Launch launch = cuda.launch(widths.of(fits))) {
            launch.tensor(to)
                    .tensor(from)
                    .tensor(slots)
                    .i64(count)
                    .i64(cache.dim(0))
                    .i64(each)
                    .i64(stride)
                    .i32(site.number())
                    .run(blocks, Math.min(count, Grid.MAX_Y), Grid.THREADS);
        }
    }
}
