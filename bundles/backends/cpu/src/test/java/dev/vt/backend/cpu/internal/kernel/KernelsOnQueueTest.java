package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.api.device.Graph;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.ops.kernel.RopeFrequencies;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The kernels on queues of the real backend, on sizes that are spread over its threads. */
class KernelsOnQueueTest {
    private static final int T = 70;
    private static final int H = 512;
    private static final int V = 40001;

    /** A chain of ops whose every step is worth several ranges; gives its last result. */
    private static double[] chain(Queue queue) {
        Tensor table = Data.of(DType.BF16, Data.random(1, 100L * H), 100, H);
        Tensor ids = Data.of(DType.I32, new double[T], T);
        for (int t = 0; t < T; t++) {
            Data.put(ids, t, t % 100);
        }
        Tensor x = Data.empty(DType.F32, 0, 0, T, H);
        Tensor normed = Data.empty(DType.F32, 0, 0, T, H);
        Tensor up = Data.empty(DType.F32, 0, 0, T, 2 * H);
        Tensor gated = Data.empty(DType.F32, 0, 0, T, H);
        Tensor product = Data.empty(DType.F32, 0, 0, T, H);
        new EmbeddingKernel().run(queue, x, table, ids);
        new RmsNormKernel().run(queue, normed, x, Data.of(DType.F32, Data.random(2, H), H), null, 1e-6f, true);
        new MatmulBtKernel().run(queue, up, normed, RandomBlocks.random(DType.Q4_K, 0, 3, 2 * H, H));
        new GatedKernel(GatedKernel::silu).run(queue, gated, up);
        new MatmulKernel().run(queue, product, gated, Data.of(DType.F32, Data.random(4, (long) H * H), H, H));
        new AddKernel().run(queue, x, x, product);
        Tensor heads = Tensor.of(x.memory(), DType.F32, T, 8, H / 8);
        Tensor more = Tensor.of(normed.memory(), DType.F32, T, 8, H / 8);
        new RopeNeoxKernel().run(queue, heads, more, ids, RopeFrequencies.of(10000, H / 8), null);
        queue.synchronize();
        return Data.read(x);
    }

    private static double[] draws(Queue queue) {
        Tensor logits = Data.of(DType.F32, Data.random(5, 3L * V), 3, V);
        Tensor probs = Data.empty(DType.F32, 0, 0, 3, V);
        Tensor ids = Data.empty(DType.I64, 0, 0, 3);
        new ApplyTopKTopPKernel().run(queue, logits, null, Data.of(DType.F32, new double[] {0.9, 0.5, 1}, 3));
        new SoftmaxKernel(false).run(queue, probs, logits);
        new RandomSampleKernel().run(queue, ids, probs, Data.of(DType.I64, new double[] {1, 2, 3}, 3));
        queue.synchronize();
        return Data.read(ids);
    }

    @Test
    @DisplayName("the bits are the same inline, on one thread and on four")
    void sameBits() {
        double[] inline = chain(new InlineQueue(InlineQueue.Cut.WHOLE));
        double[] drawn = draws(new InlineQueue(InlineQueue.Cut.WHOLE));
        for (int threads : new int[] {1, 4}) {
            try (CpuBackend backend = new CpuBackend(threads);
                    CpuQueue queue = backend.createQueue()) {
                for (int round = 0; round < 3; round++) {
                    assertArrayEquals(inline, chain(queue), threads + " threads");
                    assertArrayEquals(drawn, draws(queue), threads + " threads");
                }
            }
        }
    }

    @Test
    @DisplayName("an id outside the table fails the queue; after synchronize it works again")
    void failure() {
        try (CpuBackend backend = new CpuBackend(2);
                CpuQueue queue = backend.createQueue()) {
            Tensor table = Data.of(DType.F32, Data.random(1, 6), 3, 2);
            Tensor out = Data.empty(DType.F32, 0, 0, 1, 2);
            new EmbeddingKernel().run(queue, out, table, Data.of(DType.I32, new double[] {3}, 1));
            VtException e = assertThrows(VtException.class, queue::synchronize);
            String sentence = "op embedding on cpu:0: ids[0]: expected 0 to 2, given 3";
            assertTrue(e.getMessage().endsWith(sentence), e.getMessage());
            new EmbeddingKernel().run(queue, out, table, Data.of(DType.I32, new double[] {2}, 1));
            queue.synchronize();
            assertEquals(Data.get(table, 4), Data.get(out, 0));
        }
    }

    @Test
    @DisplayName("a captured kernel reads its operands at each replay")
    void replay() {
        try (CpuBackend backend = new CpuBackend(2);
                CpuQueue queue = backend.createQueue()) {
            Tensor table = onBackend(backend, DType.F32, 3, 2);
            Tensor ids = onBackend(backend, DType.I32, 1);
            Tensor out = onBackend(backend, DType.F32, 1, 2);
            for (int i = 0; i < 6; i++) {
                Data.put(table, i, i);
            }
            queue.beginCapture();
            new EmbeddingKernel().run(queue, out, table, ids);
            try (Graph graph = queue.endCapture()) {
                for (int id : new int[] {2, 0, 1}) {
                    Data.put(ids, 0, id);
                    graph.replay(queue);
                    queue.synchronize();
                    assertArrayEquals(new double[] {2 * id, 2 * id + 1}, Data.read(out));
                }
            }
        }
    }

    private static Tensor onBackend(CpuBackend backend, DType dtype, long... shape) {
        return Tensor.of(backend.allocate(Tensor.bytes(dtype, shape)), dtype, shape);
    }
}
