package dev.vt.provider.cublaslt.internal;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.CudaQueue;
import dev.vt.ops.kernel.MatmulFp8;

/** {@code matmul_fp8_cutlass} and {@code matmul_fp8_cublaslt}, which are one computation. */
final class Fp8Kernel implements MatmulFp8 {
    private final LtDevices devices;

    Fp8Kernel(LtDevices devices) {
        this.devices = devices;
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b, float alpha) {
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
        no = Operands.refuseFp8(out, a, b);
        return no != null ? no : devices.multiply((CudaQueue) queue, Product.TRANSPOSED, out, a, b, alpha);
    }
}
