package dev.vt.provider.cublaslt.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Graph;
import dev.vt.api.device.Queue;
import dev.vt.api.device.StaleGraphException;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The provider comes and goes. */
class LifeTest extends OnFakeCuda {
    private static final int M = 3;
    private static final int N = 5;
    private static final int K = 128;

    private Tensor a;
    private Tensor b;
    private Tensor out;

    private void operands() {
        a = counting(M, K, 1);
        b = counting(N, K, 2);
        out = empty(M, N);
    }

    @Test
    @DisplayName("S16 S18 it leaves and comes back fifty times, and leaves no object, no thread and no byte behind")
    void fiftyTimes() {
        operands();
        float[] expected = product(read(queue, a), read(queue, b), M, N, K);
        try (VtRuntime vt = VtRuntime.empty()) {
            vt.add(cuda);
            Ops ops = new Ops(vt.ops());
            long used = 0;
            for (int round = 0; round < 50; round++) {
                CublasLtProvider comes = new CublasLtProvider();
                VtRuntime.Registration there = vt.add(comes);
                ops.matmulBt(queue, out, a, b);
                assertEquals(
                        "cublaslt",
                        vt.ops().explain(OpTable.MATMUL_BT, cuda.device()).selected());
                fake.hold();
                ops.matmulBt(queue, out, a, b);
                there.close();
                comes.close();
                assertArrayEquals(expected, read(queue, out));
                fake.go();
                assertEquals(0, fake.handles() + fake.plans() + fake.layouts());
                used = round == 0 ? fake.used() : used;
                assertEquals(used, fake.used());
            }
        }
        assertTrue(Thread.getAllStackTraces().keySet().stream()
                .noneMatch(t -> t.getName().equals("vt-cublaslt")));
    }

    @Test
    @DisplayName("S18 closing unloads the library, and a closed provider loads nothing any more")
    void unloads() throws IOException {
        operands();
        served(matmulBt().run(queue, out, a, b));
        queue.synchronize();
        provider.close();
        fake.assertClean();
        fake.letGo();
        assertFalse(mapped());
        assertFalse(provider.supports(cuda.caps()));
        assertEquals(Declines.NO_LIBRARY, matmulBt().run(queue, out, a, b));
        fake.takeAgain();
    }

    private static boolean mapped() throws IOException {
        return Files.readString(Path.of("/proc/self/maps"))
                .contains(FakeCuda.library().toString());
    }

    @Test
    @DisplayName("S17 a graph of its products is stale once it has left, and the library is unloaded under it")
    void staleGraph() {
        operands();
        try (VtRuntime vt = VtRuntime.empty()) {
            vt.add(cuda);
            VtRuntime.Registration there = vt.add(provider);
            queue.beginCapture();
            new Ops(vt.ops()).matmulBt(queue, out, a, b);
            try (Graph graph = queue.endCapture()) {
                graph.replay(queue);
                there.close();
                provider.close();
                StaleGraphException e = Assertions.assertThrows(StaleGraphException.class, () -> graph.replay(queue));
                assertTrue(e.getMessage().contains("cublaslt"), e.getMessage());
            }
        }
    }

    @Test
    @DisplayName("S17 B7 it leaves while a queue captures: its end waits for the capture, whose graph is refused")
    void leavesInCapture() {
        operands();
        try (VtRuntime vt = VtRuntime.empty();
                Queue other = cuda.createQueue()) {
            vt.add(cuda);
            VtRuntime.Registration there = vt.add(provider);
            Ops ops = new Ops(vt.ops());
            ops.matmulBt(queue, out, a, b);
            other.beginCapture();
            ops.matmulBt(other, out, a, b);
            there.close();
            CompletableFuture<Void> end = CompletableFuture.runAsync(provider::close);
            assertEquals(1, fake.handles());
            assertFalse(end.isDone());
            StaleGraphException e = Assertions.assertThrows(StaleGraphException.class, other::endCapture);
            assertTrue(e.getMessage().contains("cublaslt"), e.getMessage());
            end.join();
            assertEquals(0, fake.handles());
            other.beginCapture();
            other.endCapture().close();
        }
    }

    @Test
    @DisplayName("B9 the device is opened anew: the library is started anew on it")
    void newDevice() {
        operands();
        served(matmulBt().run(queue, out, a, b));
        queue.synchronize();
        fake.closeDevices();
        try (VtRuntime again = VtRuntime.load(Map.of("disabled", "cublaslt"))) {
            cuda = again.backends().get(cuda.device());
            queue = cuda.createQueue();
            operands();
            served(matmulBt().run(queue, out, a, b));
            assertArrayEquals(product(read(queue, a), read(queue, b), M, N, K), read(queue, out));
            provider.close();
        }
        // What was made for the first device went with its context.
        assertEquals(1, fake.handles());
        fake.forget();
    }
}
