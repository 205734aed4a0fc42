package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.MatmulFp8;
import org.jspecify.annotations.Nullable;

/** {@code matmul_fp8_cutlass}, and {@code matmul_fp8_cublaslt}, which is the same product. Stateless. */
final class MatmulFp8Kernel implements MatmulFp8 {
    private final Products products;

    MatmulFp8Kernel(Products products) {
        this.products = products;
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b, float alpha) {
        @Nullable Outcome no = Products.decline(out, a, b);
        if (no != null) {
            return no;
        }
        products.run((LaunchQueue) queue, out, a, b, true, alpha);
        return Outcome.SERVED;
    }
}
