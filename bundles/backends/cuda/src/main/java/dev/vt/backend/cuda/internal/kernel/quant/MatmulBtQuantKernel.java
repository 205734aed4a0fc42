package dev.vt.backend.cuda.internal.kernel.quant;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.BlockTypes;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.Matmul;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code matmul_bt_quant}: one file of kernels for each encoding. Stateless. */
final class MatmulBtQuantKernel implements Matmul {
    private final Map<DType, BlockProducts> products = new EnumMap<>(DType.class);

    MatmulBtQuantKernel() {
        for (DType type : BlockTypes.ALL) {
            products.put(type, new BlockProducts(type));
        }
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
        BlockProducts kernels = products.get(b.dtype());
        if (kernels == null) {
            return Declines.BLOCK_TYPE;
        }
        @Nullable Outcome no = BlockTypes.decline(b);
        no = no != null ? no : Operand.rows(a);
        no = no != null ? no : Operand.rows(out);
        if (no != null) {
            return no;
        }
        if (out.dim(0) > Grid.MAX_Y || out.dim(1) > Grid.MAX) {
            return Declines.MANY_ROWS;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, a, b);
        }
        if (out.elements() > 0) {
            kernels.run(cuda, out, a, b);
        }
        return Outcome.SERVED;
    }
}
