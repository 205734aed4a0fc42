package dev.vt.provider.cublaslt.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Matmul;
import dev.vt.ops.kernel.MatmulFp8;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a product costs the Java heap. */
class AllocationTest extends OnFakeCuda {
    private static final int CALLS = 20_000;
    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(60);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    @DisplayName("S12 a compiled call of a product allocates 0 bytes, with scratch memory and with a factor too")
    void nothing() {
        Matmul matmul = matmulBt();
        MatmulFp8 fp8 =
                (MatmulFp8) Objects.requireNonNull(provider.kernels().asMap().get(OpTable.MATMUL_FP8_CUBLASLT));
        Tensor a = counting(1, 64, 1);
        Tensor out = empty(1, 1);
        Tensor bytes = Tensor.of(a.memory(), DType.I8, 1, 16);
        Tensor rows = Tensor.of(cuda.allocate(256), DType.I8, 16, 16);
        Tensor wide = empty(1, 16);
        long end = System.nanoTime() + DEADLINE;
        long allocated;
        do {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < CALLS; i++) {
                matmul.run(queue, out, a, a);
                fp8.run(queue, wide, bytes, rows, 0.5f);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        } while (allocated != 0 && System.nanoTime() < end);
        assertEquals(0, allocated, "bytes of " + CALLS + " calls");
        queue.synchronize();
        close(a, out, rows, wide);
    }
}
