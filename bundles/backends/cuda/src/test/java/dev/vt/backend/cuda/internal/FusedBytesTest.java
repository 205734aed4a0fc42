package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Memory;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.FusedStep.Form;
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.StepCode;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Fused kernels give the bytes of the single ones")
class FusedBytesTest extends OnFakeDevice {
    private static final KernelSet KERNELS = new CudaNativeProvider().kernels();
    private static final int ROWS = 3;
    private static final float EPS = 1e-5f;
    private static final float SCALE = 0.02f;

    private final SplittableRandom random = new SplittableRandom(42);

    /** A part of a warp, elements one by one, a warp, whole blocks, rows that are read again. */
    private static final int[] WIDTHS = {48, 33, 256, 1000, 4096, 16392};

    @FunctionalInterface
    private interface Case {
        void run(DType dtype, int width);
    }

    private static void all(Case test) {
        for (DType dtype : List.of(DType.F32, DType.F16, DType.BF16)) {
            for (int width : WIDTHS) {
                test.run(dtype, width);
            }
        }
    }

    @BeforeEach
    void emulate() {
        driver.emulateKernels();
    }

    private static <K> K kernel(Op<K> op) {
        return Objects.requireNonNull(KERNELS.get(op));
    }

    private static void served(Outcome outcome) {
        assertEquals(Outcome.SERVED, outcome);
    }

    private static DType stored(DType dtype) {
        return dtype == DType.BF16 ? DType.BF16 : DType.F32;
    }

    private Tensor empty(DType dtype, long... shape) {
        return Tensor.of(cuda.allocate(Tensor.bytes(dtype, shape)), dtype, shape);
    }

    private Tensor floats(DType dtype, long... shape) {
        int n = Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
        ByteBuffer bytes = ByteBuffer.allocate(n * dtype.elementBytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < n; i++) {
            float v = (float) random.nextGaussian();
            switch (dtype) {
                case F32 -> bytes.putFloat(v);
                case F16 -> bytes.putShort(Float.floatToFloat16(v));
                default -> bytes.putShort((short) (Float.floatToRawIntBits(v) >>> 16));
            }
        }
        Tensor t = empty(dtype, shape);
        cuda.upload(queue, t.memory(), 0, MemorySegment.ofArray(bytes.array()));
        return t;
    }

    private Tensor same(Tensor of, long... shape) {
        Memory copy = cuda.allocate(of.memory().size());
        cuda.upload(queue, copy, 0, MemorySegment.ofArray(bytes(of.memory())));
        return Tensor.of(copy, of.dtype(), shape);
    }

    private void same(Tensor single, Tensor fused, String what) {
        assertArrayEquals(bytes(single.memory()), bytes(fused.memory()), what);
    }

    private void close(Tensor... tensors) {
        Stream.of(tensors).forEach(t -> t.memory().close());
    }

    @Test
    @DisplayName("rms_norm_quant_fp8, with and without a residual")
    void norm() {
        all(this::norm);
    }

    private void norm(DType dtype, int width) {
        Tensor x = floats(dtype, ROWS, width);
        Tensor weight = floats(dtype, width);
        Tensor norm = empty(DType.BF16, ROWS, width);
        Tensor copy = empty(DType.BF16, ROWS, width);
        Tensor single = empty(DType.I8, ROWS, width);
        Tensor fused = empty(DType.I8, ROWS, width);
        for (Tensor sum : new Tensor[] {null, floats(stored(dtype), ROWS, width)}) {
            Tensor again = sum == null ? null : same(sum, ROWS, width);
            served(kernel(OpTable.RMS_NORM).run(queue, norm, x, weight, sum, EPS, true));
            served(kernel(OpTable.QUANT_FP8_STATIC).run(queue, single, norm, SCALE));
            served(kernel(OpTable.RMS_NORM_QUANT_FP8).run(queue, fused, copy, x, weight, again, EPS, true, SCALE));
            same(single, fused, "codes");
            same(norm, copy, "copy");
            if (sum != null && again != null) {
                same(sum, again, "residual");
                close(sum, again);
            }
        }
        close(x, weight, norm, copy, single, fused);
    }

    @Test
    @DisplayName("rms_norm_gated_quant_fp8")
    void gatedNorm() {
        all(this::gatedNorm);
    }

    private void gatedNorm(DType dtype, int width) {
        Tensor x = floats(dtype, ROWS, 2, width);
        Tensor gate = floats(dtype, ROWS, 2, width);
        Tensor weight = floats(dtype, width);
        Tensor norm = empty(DType.BF16, ROWS, 2, width);
        Tensor flat = Tensor.of(norm.memory(), DType.BF16, ROWS * 2, width);
        Tensor single = empty(DType.I8, ROWS * 2, width);
        Tensor fused = empty(DType.I8, ROWS, 2, width);
        for (boolean sigmoid : new boolean[] {false, true}) {
            served(kernel(OpTable.RMS_NORM_GATED).run(queue, norm, x, gate, weight, EPS, sigmoid));
            served(kernel(OpTable.QUANT_FP8_STATIC).run(queue, single, flat, SCALE));
            served(kernel(OpTable.RMS_NORM_GATED_QUANT_FP8).run(queue, fused, x, gate, weight, EPS, sigmoid, SCALE));
            same(single, fused, "codes, sigmoid " + sigmoid);
        }
        close(x, gate, weight, norm, single, fused);
    }

    @Test
    @DisplayName("silu_mul_fp4_quant, in both layouts of the scales")
    void siluMul() {
        all(this::siluMul);
    }

    private void siluMul(DType dtype, int width) {
        int columns = (width + 15) / 16 * 16;
        Tensor gate = floats(dtype, ROWS, columns);
        Tensor up = floats(dtype, ROWS, columns);
        Tensor product = empty(DType.BF16, ROWS, columns);
        Tensor single = empty(DType.I8, ROWS, columns / 2);
        Tensor fused = empty(DType.I8, ROWS, columns / 2);
        for (ScaleLayout layout : ScaleLayout.values()) {
            long[] shape = {layout.rows(ROWS), layout.groups(columns / 16)};
            Tensor singleScale = empty(DType.I8, shape);
            Tensor fusedScale = empty(DType.I8, shape);
            served(kernel(OpTable.MOE_SILU_MUL).run(queue, product, gate, up));
            served(kernel(OpTable.SCALED_FP4_QUANT).run(queue, single, singleScale, product, 99f, layout));
            served(kernel(OpTable.SILU_MUL_FP4_QUANT).run(queue, fused, fusedScale, gate, up, 99f, layout));
            same(single, fused, "codes, " + layout);
            same(singleScale, fusedScale, "scales, " + layout);
            close(singleScale, fusedScale);
        }
        close(gate, up, product, single, fused);
    }

    @Test
    @DisplayName("a chain of an addition and a normalisation, in both forms, and rms_norm with a residual")
    void chain() {
        all(this::chain);
    }

    private void chain(DType dtype, int width) {
        for (Form form : List.of(Form.PLAIN, Form.GEMMA)) {
            Tensor x = floats(dtype, ROWS, width);
            Tensor weight = floats(dtype, width);
            Tensor sum = floats(stored(dtype), ROWS, width);
            Tensor chained = same(sum, ROWS, width);
            Tensor joined = same(sum, ROWS, width);
            Tensor single = empty(stored(dtype), ROWS, width);
            Tensor fused = empty(stored(dtype), ROWS, width);
            Tensor once = empty(stored(dtype), ROWS, width);
            boolean gemma = form == Form.GEMMA;
            served(kernel(OpTable.ADD).run(queue, sum, sum, x));
            served(kernel(OpTable.RMS_NORM).run(queue, single, sum, weight, null, EPS, gemma));
            Chain steps = new Chain(
                    List.of(
                            FusedStep.of(StepCode.ADD, Chain.RESIDUAL, Chain.RESIDUAL, Chain.X),
                            FusedStep.rmsNorm(form, Chain.OUT, Chain.RESIDUAL, Chain.WEIGHT)),
                    List.of());
            served(kernel(OpTable.FUSED_CHAIN).run(queue, fused, x, weight, chained, steps, EPS));
            served(kernel(OpTable.RMS_NORM).run(queue, once, x, weight, joined, EPS, gemma));
            same(sum, chained, "residual of the chain");
            same(sum, joined, "residual of the norm");
            same(single, fused, "chain");
            same(single, once, "norm");
            close(x, weight, sum, chained, joined, single, fused, once);
        }
    }
}
