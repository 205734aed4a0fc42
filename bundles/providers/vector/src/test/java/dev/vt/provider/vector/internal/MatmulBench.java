package dev.vt.provider.vector.internal;

import dev.vt.api.op.Op;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Matmul;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.ServiceLoader;

/**
 * Measures the products of this provider beside those of the CPU backend: the best of many runs, in GFLOP/s. Not a
 * test; run its main method. Arguments: the number of threads (all processors), the seconds for each figure (2), an
 * element type of b (all).
 */
public final class MatmulBench {
    private final int threads;
    private final double seconds;

    MatmulBench(int threads, double seconds) {
        this.threads = threads;
        this.seconds = seconds;
    }

    public static void main(String[] args) {
        // Only this tool looks for providers; the bundle does not.
        MatmulBench.class.getModule().addUses(OpProvider.class);
        int threads = args.length > 0
                ? Integer.parseInt(args[0])
                : Runtime.getRuntime().availableProcessors();
        MatmulBench bench = new MatmulBench(threads, args.length > 1 ? Double.parseDouble(args[1]) : 2);
        System.out.printf("%d threads, vectors of %d floats%n", threads, Lanes.COUNT);
        for (DType b : List.of(DType.F32, DType.BF16, DType.F16, DType.Q8_0, DType.Q4_0, DType.Q4_K, DType.Q6_K)) {
            if (args.length > 2 && !b.label().equals(args[2])) {
                continue;
            }
            bench.compare(b, 1, 256, 256);
            bench.compare(b, 1, 2048, 256);
            bench.compare(b, 1, 4096, 4096);
            bench.compare(b, 4, 2048, 256);
            bench.compare(b, 64, 256, 512);
            bench.compare(b, 512, 512, 512);
        }
    }

    private void compare(DType b, int m, int n, int k) {
        double own = measure(new VectorProvider().kernels(), b, m, n, k);
        double plain = ServiceLoader.load(MatmulBench.class.getModule().getLayer(), OpProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(p -> p.name().equals(OpProvider.NATIVE))
                .mapToDouble(p -> measure(p.kernels(), b, m, n, k))
                .findFirst()
                .orElse(Double.NaN);
        System.out.printf(
                Locale.ROOT,
                "%-5s m=%-4d n=%-5d k=%-5d vector %7.2f  %s %7.2f GFLOP/s  %.1fx%n",
                b,
                m,
                n,
                k,
                own,
                OpProvider.NATIVE,
                plain,
                own / plain);
    }

    private double measure(KernelSet kernels, DType type, int m, int n, int k) {
        Op<Matmul> op = type.isBlock() ? OpTable.MATMUL_BT_QUANT : OpTable.MATMUL_BT;
        Matmul kernel = Objects.requireNonNull(kernels.get(op));
        try (Matrices x = new Matrices(threads, Math.max(4L * n * k, 4L * m * Math.max(n, k)))) {
            Tensor a = x.matrix(1, 0, DType.F32, m, k, 0);
            Tensor b = x.matrix(2, 0, type, n, k, 0);
            Tensor out = Tensor.of(x.blocks[0], DType.F32, m, n);
            long best = Long.MAX_VALUE;
            long end = System.nanoTime() + (long) (seconds * 1e9);
            while (System.nanoTime() < end) {
                long start = System.nanoTime();
                kernel.run(x.queue, out, a, b);
                x.queue.synchronize();
                best = Math.min(best, System.nanoTime() - start);
            }
            return 2.0 * m * n * k / best;
        }
    }
}
