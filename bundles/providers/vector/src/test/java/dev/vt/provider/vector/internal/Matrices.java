package dev.vt.provider.vector.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Memory;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.Matmul;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * A backend with three blocks in which a test lays out operands, and the comparison with a product in double precision.
 */
final class Matrices implements AutoCloseable {
    private static final byte UNTOUCHED = 0x5a;

    final CpuBackend backend;
    final CpuQueue queue;
    final Memory[] blocks = new Memory[3];
    private final SplittableRandom random = new SplittableRandom(42);

    Matrices(int threads, long bytes) {
        backend = new CpuBackend(threads);
        queue = backend.createQueue();
        for (int i = 0; i < 3; i++) {
            blocks[i] = backend.allocate(bytes);
        }
    }

    @Override
    public void close() {
        backend.close();
    }

    /** A matrix in one of the blocks, filled with random values; {@code padding} elements follow each row. */
    Tensor matrix(int block, long offset, DType type, long rows, long cols, long padding) {
        long stride = cols + padding;
        Tensor t = Tensor.strided(blocks[block], offset, type, new long[] {rows, cols}, new long[] {stride, 1});
        for (long r = 0; r < rows; r++) {
            Encoded.fill(type, t.segment(), offset + type.rowBytes(r * stride), cols, random);
        }
        return t;
    }

    /** The place for a result, marked so that a write outside it is seen. */
    Tensor result(long offset, DType type, long rows, long cols, long padding) {
        blocks[0]
                .segment()
                .asSlice(0, Math.min(blocks[0].size(), 8192 + 2 * offset + 4 * rows * (cols + padding)))
                .fill(UNTOUCHED);
        return Tensor.strided(blocks[0], offset, type, new long[] {rows, cols}, new long[] {cols + padding, 1});
    }

    void check(Matmul kernel, boolean transposed, Tensor out, Tensor a, Tensor b) {
        Outcome outcome = kernel.run(queue, out, a, b);
        assertTrue(outcome.served(), outcome.reason());
        queue.synchronize();
        long k = a.dim(1);
        for (long m = 0; m < out.dim(0); m++) {
            for (long n = 0; n < out.dim(1); n++) {
                double sum = 0;
                double size = 0;
                for (long i = 0; i < k; i++) {
                    double product = at(a, m, i) * (transposed ? at(b, n, i) : at(b, i, n));
                    sum += product;
                    size += Math.abs(product);
                }
                // f32 rounds each step to 2^-24; the sums of a lane are short. bf16 rounds the result once to 2^-9 of
                // it.
                double allowed = 2e-6 * size + (out.dtype() == DType.BF16 ? Math.abs(sum) / 256 : 0);
                double given = at(out, m, n);
                assertTrue(Math.abs(given - sum) <= allowed, () -> a + " * " + b + " = " + out + ": " + given);
            }
        }
        untouched(out);
    }

    /** Nothing outside the rows of the result was written. */
    private void untouched(Tensor out) {
        MemorySegment s = out.segment();
        long size = out.dtype().elementBytes();
        long rowBytes = out.dim(1) * size;
        long end = out.offset();
        for (long i = Math.max(0, end - 64); i < end; i++) {
            assertEquals(UNTOUCHED, s.get(ValueLayout.JAVA_BYTE, i));
        }
        for (long m = 0; m < out.dim(0); m++) {
            long from = out.offset() + m * out.stride(0) * size + rowBytes;
            long to = m + 1 < out.dim(0) ? from + out.stride(0) * size - rowBytes : from + 64;
            for (long i = from; i < to; i++) {
                assertEquals(UNTOUCHED, s.get(ValueLayout.JAVA_BYTE, i));
            }
        }
    }

    static double at(Tensor t, long row, long col) {
        long start = t.offset() + t.dtype().rowBytes(row * t.stride(0));
        return Encoded.value(t.dtype(), t.segment(), start, col);
    }
}
