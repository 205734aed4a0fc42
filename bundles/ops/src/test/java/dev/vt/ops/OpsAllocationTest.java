package dev.vt.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.kernel.Matmul;
import dev.vt.ops.kernel.RmsNorm;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S12 entry points allocate nothing")
class OpsAllocationTest {
    private static final int CALLS = 100_000;
    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(60);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Ops ops = new Ops(new DirectDispatcher(Map.of(
            OpTable.MATMUL, (Matmul) (queue, out, a, b) -> Outcome.SERVED,
            OpTable.RMS_NORM, (RmsNorm) (queue, out, x, w, residual, eps, gemma) -> Outcome.SERVED)));

    /** One kernel for each op and no chain, without an allocation of its own. */
    private record DirectDispatcher(Object[] kernels) implements Dispatcher {
        DirectDispatcher(Map<Op<?>, Object> kernels) {
            this(new Object[Op.LIMIT]);
            kernels.forEach((op, kernel) -> this.kernels[op.id()] = kernel);
        }

        @Override
        public <K> void call(Op<K> op, Queue queue, KernelCall<K> call) {
            call.on(op.kernelType().cast(kernels[op.id()]));
        }
    }

    @Test
    @DisplayName("S12 a compiled call of matmul allocates 0 bytes")
    void matmul() {
        Tensor out = tensor(3, 5);
        Tensor a = tensor(3, 4);
        Tensor b = tensor(4, 5);
        assertAllocatesNothing(() -> {
            for (int i = 0; i < CALLS; i++) {
                ops.matmul(ContractCases.QUEUE, out, a, b);
            }
        });
    }

    @Test
    @DisplayName("S12 a compiled call of rms_norm allocates 0 bytes")
    void rmsNorm() {
        Tensor out = tensor(3, 4);
        Tensor x = tensor(3, 4);
        Tensor weight = tensor(4);
        Tensor residual = tensor(3, 4);
        assertAllocatesNothing(() -> {
            for (int i = 0; i < CALLS; i++) {
                ops.rmsNorm(ContractCases.QUEUE, out, x, weight, residual, 1e-6f, true);
            }
        });
    }

    /** Runs batches until the compiler has done its work and one allocates nothing. */
    private void assertAllocatesNothing(Runnable batch) {
        long end = System.nanoTime() + DEADLINE;
        long bytes;
        do {
            long before = threads.getCurrentThreadAllocatedBytes();
            batch.run();
            bytes = threads.getCurrentThreadAllocatedBytes() - before;
        } while (bytes != 0 && System.nanoTime() < end);
        assertEquals(0, bytes, "bytes of " + CALLS + " calls");
    }

    private static Tensor tensor(long... dims) {
        return ContractCases.tensor(ContractCases.CPU, DType.F32, dims);
    }
}
