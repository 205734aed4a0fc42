package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Matmul;
import org.jspecify.annotations.Nullable;

/** {@code matmul}, {@code matmul_bt} and {@code batched_matmul}. Stateless. */
final class MatmulKernel implements Matmul {
    private final Products products;
    private final boolean transposed;

    MatmulKernel(Products products, boolean transposed) {
        this.products = products;
        this.transposed = transposed;
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        @Nullable Outcome no = Products.decline(out, a, b);
        if (no != null) {
            return no;
        }
        products.run((LaunchQueue) queue, out, a, b, transposed, 1);
        return Outcome.SERVED;
    }
}
