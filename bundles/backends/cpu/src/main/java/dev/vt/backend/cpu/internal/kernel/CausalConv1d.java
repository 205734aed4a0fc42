package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import org.jspecify.annotations.Nullable;

/**
 * {@code causal_conv1d_fwd} and {@code causal_conv1d_update}, spread over channels, so that the tokens of a state keep
 * their order. A sum is made in f32, from the bias on, oldest input first. Integer operands are checked before anything
 * is written.
 */
final class CausalConv1d {
    /** Inputs that a block of channels keeps: together with weights and sums they fit the first-level cache. */
    private static final int BLOCK = 2048;

    private CausalConv1d() {}

    static Outcome fwd(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            Tensor queryStartLoc,
            Tensor hasInitialState,
            boolean silu) {
        Outcome declined = declined(out, x, weight, bias, state);
        if (declined != null) {
            return declined;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            uses(cpu, out, x, weight, bias, state);
            cpu.uses(queryStartLoc, hasInitialState);
        }
        cpu.submit(workers -> {
            Steps steps = Steps.sequences("causal_conv1d_fwd", queryStartLoc, x.dim(0));
            Ints initial = new Ints(hasInitialState);
            forBlocks(workers, out, x, weight, bias, state, block -> sequences(block, steps, initial, silu));
        });
        return Outcome.SERVED;
    }

    static Outcome update(
            Queue queue,
            Tensor out,
            Tensor x,
            Tensor weight,
            @Nullable Tensor bias,
            Tensor state,
            @Nullable Tensor stateIndices,
            boolean silu) {
        Outcome declined = declined(out, x, weight, bias, state);
        if (declined != null) {
            return declined;
        }
        CpuQueue cpu = (CpuQueue) queue;
        if (cpu.capturing()) {
            uses(cpu, out, x, weight, bias, state);
            if (stateIndices != null) {
                cpu.uses(stateIndices);
            }
        }
        cpu.submit(workers -> {
            Steps steps = Steps.slots("causal_conv1d_update", stateIndices, x.dim(0), state.dim(0));
            forBlocks(workers, out, x, weight, bias, state, block -> rows(block, steps, silu));
        });
        return Outcome.SERVED;
    }

    private static @Nullable Outcome declined(
            Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state) {
        if (!Rows.readable(out)
                || !Rows.readable(x)
                || !Rows.readable(weight)
                || (bias != null && !Rows.readable(bias))
                || !state.contiguous()) {
            return Declines.NOT_CONTIGUOUS;
        }
        return Rows.fits(weight) ? null : Declines.LONG_ROW;
    }

    private static void uses(CpuQueue cpu, Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state) {
        cpu.uses(out, x, weight, state);
        if (bias != null) {
            cpu.uses(bias);
        }
    }

    @FunctionalInterface
    private interface Body {
        void run(ConvBlock block);
    }

    private static void forBlocks(
            CpuWorkers workers, Tensor out, Tensor x, Tensor weight, @Nullable Tensor bias, Tensor state, Body body) {
        long taps = weight.dim(1);
        long most = Math.max(1, BLOCK / taps);
        double nanos = 10 + x.dim(0) * (5.0 + taps);
        workers.forRange(x.dim(1), Work.grain(nanos), (begin, end) -> {
            for (long c = begin; c < end; c += most) {
                body.run(new ConvBlock(out, x, weight, bias, state, c, (int) Math.min(most, end - c)));
            }
        });
    }

    private static void sequences(ConvBlock block, Steps steps, Ints initial, boolean silu) {
        for (int n = 0; n < steps.count(); n++) {
            if (steps.from(n) == steps.to(n)) {
                continue;
            }
            if (initial.get(n) != 0) {
                block.load(n);
            } else {
                block.clear();
            }
            for (int t = steps.from(n); t < steps.to(n); t++) {
                block.step(t, silu);
            }
            block.store(n);
        }
    }

    private static void rows(ConvBlock block, Steps steps, boolean silu) {
        for (int b = 0; b < steps.count(); b++) {
            int slot = steps.slot(b);
            if (slot < 0) {
                block.zero(b);
                continue;
            }
            block.load(slot);
            block.step(b, silu);
            block.store(slot);
        }
    }
}
