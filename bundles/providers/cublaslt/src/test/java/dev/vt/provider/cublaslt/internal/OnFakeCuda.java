package dev.vt.provider.cublaslt.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Matmul;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of the provider on one device of the fake driver; at the end nothing may be left. */
abstract class OnFakeCuda {
    @TempDir
    Path cache;

    FakeCuda fake;
    Backend cuda;
    Queue queue;
    CublasLtProvider provider;

    @BeforeEach
    void open() {
        fake = new FakeCuda(cache);
        cuda = fake.device();
        queue = cuda.createQueue();
        provider = new CublasLtProvider();
        assertTrue(provider.supports(cuda.caps()), provider.requirement());
    }

    @AfterEach
    void close() {
        fake.go();
        provider.close();
        fake.assertClean();
        fake.close();
        assertEquals(0, fake.used());
    }

    Matmul matmulBt() {
        return (Matmul) Objects.requireNonNull(provider.kernels().asMap().get(OpTable.MATMUL_BT));
    }

    /** f32[rows,columns] that counts from a number on. */
    Tensor counting(long rows, long columns, float from) {
        Tensor t = empty(rows, columns);
        float[] values = new float[(int) (rows * columns)];
        for (int i = 0; i < values.length; i++) {
            values[i] = from + i % 7;
        }
        cuda.upload(queue, t.memory(), 0, MemorySegment.ofArray(values));
        return t;
    }

    Tensor empty(long rows, long columns) {
        return Tensor.of(cuda.allocate(4 * rows * columns), DType.F32, rows, columns);
    }

    float[] read(Queue on, Tensor t) {
        float[] values = new float[(int) t.elements()];
        cuda.download(on, MemorySegment.ofArray(values), t.memory(), t.offset());
        on.synchronize();
        return values;
    }

    /** a times b transposed, by hand. */
    static float[] product(float[] a, float[] b, int m, int n, int k) {
        float[] out = new float[m * n];
        for (int i = 0; i < out.length; i++) {
            for (int x = 0; x < k; x++) {
                out[i] += a[i / n * k + x] * b[i % n * k + x];
            }
        }
        return out;
    }

    static void served(Outcome outcome) {
        assertEquals("", outcome.reason());
    }

    static void close(Tensor... tensors) {
        for (Tensor t : tensors) {
            Memory block = t.memory();
            block.close();
        }
    }
}
