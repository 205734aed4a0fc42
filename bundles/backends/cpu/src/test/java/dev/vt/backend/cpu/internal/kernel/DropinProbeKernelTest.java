package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.DropinProbe;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DropinProbeKernelTest {
    private static long[] report(Tensor out) {
        return out.segment().asSlice(out.offset(), 8L * DropinProbe.SLOTS).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
    }

    @Test
    @DisplayName("dropin_probe: every argument is written down, an absent tensor as zeros")
    void report() {
        Queue queue = new InlineQueue(InlineQueue.Cut.WHOLE);
        Tensor out = Data.empty(DType.I64, 4, 0, DropinProbe.SLOTS);
        Tensor x = Data.of(DType.BF16, 2, 3, Data.random(1, 10), 2, 5);
        Tensor ids = Data.of(DType.I64, new double[] {200, 7}, 2);
        Tensor scale = Data.of(DType.F32, new double[5], 5);
        assertEquals(
                Outcome.SERVED, new DropinProbeKernel().run(queue, out, x, ids, scale, Long.MIN_VALUE + 1, -0.1, true));
        long first = Byte.toUnsignedLong(x.segment().get(ValueLayout.JAVA_BYTE, x.offset()));
        long bf16 = DropinProbe.code(DType.BF16);
        long i64 = DropinProbe.code(DType.I64);
        long f32 = DropinProbe.code(DType.F32);
        long[] head = {1, Long.MIN_VALUE + 1, Double.doubleToRawLongBits(-0.1), 1};
        long[] ofX = {1, bf16, 2, 2, 5, 0, 0, 8, 1, 0, 0, first};
        long[] ofIds = {1, i64, 1, 2, 0, 0, 0, 1, 0, 0, 0, 200};
        long[] ofScale = {1, f32, 1, 5, 0, 0, 0, 1, 0, 0, 0, 0};
        assertArrayEquals(joined(head, ofX, ofIds, ofScale), report(out));
        Data.assertOutsideUntouched(out, "dropin_probe");
        new DropinProbeKernel().run(queue, out, x, ids, null, 5, Double.NaN, false);
        long[] second = {1, 5, Double.doubleToRawLongBits(Double.NaN), 0};
        assertArrayEquals(joined(second, ofX, ofIds, new long[DropinProbe.TENSOR_SLOTS]), report(out));
    }

    @Test
    @DisplayName("dropin_probe: a tensor without an element has no first byte")
    void empty() {
        Tensor out = Data.empty(DType.I64, 0, 0, DropinProbe.SLOTS);
        Tensor x = Data.empty(DType.F16, 0, 0, 0, 5);
        Tensor ids = Data.empty(DType.I32, 0, 0, 0);
        new DropinProbeKernel().run(new InlineQueue(InlineQueue.Cut.WHOLE), out, x, ids, null, 0, 0, false);
        assertEquals(-1, report(out)[DropinProbe.FIRST_TENSOR + DropinProbe.TENSOR_SLOTS - 1]);
    }

    private static long[] joined(long[]... parts) {
        return Arrays.stream(parts).flatMapToLong(Arrays::stream).toArray();
    }
}
