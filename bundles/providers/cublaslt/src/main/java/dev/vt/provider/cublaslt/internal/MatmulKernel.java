package dev.vt.provider.cublaslt.internal;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.CudaQueue;
import dev.vt.ops.kernel.Matmul;

/** {@code matmul}, {@code matmul_bt} and {@code batched_matmul}: f32, f16 and bf16, with sums in f32. */
final class MatmulKernel implements Matmul {
    private final LtDevices devices;
    private final Product product;

    MatmulKernel(LtDevices devices, Product product) {
        this.devices = devices;
        this.product = product;
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        if (out.elements() == 0) {
            return Outcome.SERVED;
        }
        Outcome no = Operands.refuse(out, a, b);
        if (no != null) {
            return no;
        }
        if (Operands.columns(a) == 0) {
            return Declines.NOTHING_TO_ADD;
        }
        return devices.multiply((CudaQueue) queue, product, out, a, b, 1);
    }
}
