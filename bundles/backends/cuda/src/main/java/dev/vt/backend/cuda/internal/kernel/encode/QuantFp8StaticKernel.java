package dev.vt.backend.cuda.internal.kernel.encode;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Grid;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Packs;
import dev.vt.backend.cuda.internal.kernel.support.Variants;
import dev.vt.backend.cuda.internal.launch.KernelFunction;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.backend.cuda.internal.launch.Launch;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import dev.vt.ops.kernel.QuantFp8Static;

/** {@code quant_fp8_static}: each element by itself. */
final class QuantFp8StaticKernel implements QuantFp8Static {
    /** Elements that a thread takes at once. */
    private static final int PACK = 8;

    private final KernelFunction[] functions;

    QuantFp8StaticKernel(KernelModule module) {
        functions = Variants.inputs(module, "quant_fp8");
    }

    @Override
    public Outcome run(Queue queue, Tensor out, Tensor x, float scale) {
        Outcome no = Operand.dense(out);
        no = no != null ? no : Operand.dense(x);
        if (no != null) {
            return no;
        }
        LaunchQueue cuda = (LaunchQueue) queue;
        if (cuda.capturing()) {
            cuda.uses(out, x);
        }
        long n = out.elements();
        if (n > 0) {
            boolean packed = Packs.aligned(out) && Packs.aligned(x);
            try (Launch launch = cuda.launch(functions[Operand.type(x)])) {
                launch.tensor(out)
                        .tensor(x)
                        .i64(n)
                        .f32(scale)
                        .i32(packed ? 1 : 0)
                        .run(Grid.over(n, PACK, packed), Grid.THREADS);
            }
        }
        return Outcome.SERVED;
    }
}
