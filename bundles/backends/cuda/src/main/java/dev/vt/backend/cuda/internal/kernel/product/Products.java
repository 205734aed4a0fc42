package dev.vt.backend.cuda.internal.kernel.product;

import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.kernel.support.Declines;
import dev.vt.backend.cuda.internal.kernel.support.Operand;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.LaunchQueue;
import org.jspecify.annotations.Nullable;

/** Chooses how a product of matrices is computed. Stateless; the kernels of products share one. */
final class Products {
    private final TileProducts tiles = new TileProducts();
    private final Fp8Products fp8 = new Fp8Products(tiles);
    private final PlainProducts plain = new PlainProducts(Sources.of("matmul.cu"));

    /** Why no kernel here can do it, or null. */
    static @Nullable Outcome decline(Tensor out, Tensor a, Tensor b) {
        @Nullable Outcome no = Operand.strided(b);
        no = no != null ? no : Operand.strided(a);
        no = no != null ? no : Operand.strided(out);
        return no != null || PlainProducts.fits(out) ? no : Declines.MANY_ROWS;
    }

    /** out = alpha * a * b, where b is [N,K] when transposed; what {@link #decline} lets through. */
    void run(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, boolean transposed, float alpha) {
        if (cuda.capturing()) {
            cuda.uses(out, a, b);
        }
        if (out.elements() > 0 && !served(cuda, out, a, b, transposed, alpha)) {
            plain.run(cuda, out, a, b, transposed, alpha);
        }
    }

    private boolean served(LaunchQueue cuda, Tensor out, Tensor a, Tensor b, boolean transposed, float alpha) {
        return a.dtype() == DType.I8 ? fp8.run(cuda, out, a, b, alpha) : tiles.run(cuda, out, a, b, transposed);
    }
}
