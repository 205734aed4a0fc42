package dev.vt.backend.cpu.internal;

import static dev.vt.backend.cpu.internal.Errors.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuWorkers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {
    @Test
    @DisplayName("B3 forRange gives out each index once, cut at multiples of the grain, for every size")
    void everyIndexOnce() {
        for (int threads : new int[] {1, 2, 3, 7}) {
            try (WorkerPool pool = new WorkerPool(threads)) {
                for (int n : new int[] {0, 1, 2, 63, 64, 65, 1000, 4096, 4097}) {
                    for (int grain : new int[] {1, 7, 64, 5000}) {
                        coversOnce(pool, n, grain);
                    }
                }
            }
        }
    }

    private static void coversOnce(CpuWorkers pool, int n, int grain) {
        AtomicIntegerArray hits = new AtomicIntegerArray(n);
        pool.forRange(n, grain, (from, to) -> {
            assertEquals(0, from % grain);
            for (long i = from; i < to; i++) {
                hits.incrementAndGet((int) i);
            }
        });
        for (int i = 0; i < n; i++) {
            assertEquals(1, hits.get(i));
        }
    }

    @Test
    @DisplayName("B3 all threads of the pool work at the same time")
    void parallel() {
        try (WorkerPool pool = new WorkerPool(4)) {
            assertEquals(4, pool.parallelism());
            for (int round = 0; round < 50; round++) {
                Set<Thread> seen = ConcurrentHashMap.newKeySet();
                CountDownLatch all = new CountDownLatch(4);
                pool.forRange(4, 1, (from, to) -> {
                    seen.add(Thread.currentThread());
                    all.countDown();
                    Gate.await(all);
                });
                assertEquals(4, seen.size());
            }
        }
    }

    @Test
    @DisplayName("B3 a range that throws gives its exception to the caller, and the pool goes on")
    void failure() {
        try (WorkerPool pool = new WorkerPool(3)) {
            for (long bad = 0; bad < 100; bad += 9) {
                long at = bad;
                ArithmeticException error = new ArithmeticException("range " + at);
                assertSame(
                        error,
                        assertThrows(
                                ArithmeticException.class,
                                () -> pool.forRange(100, 1, (from, to) -> {
                                    if (from <= at && at < to) {
                                        throw error;
                                    }
                                })));
                coversOnce(pool, 100, 1);
            }
            assertThrows(
                    StackOverflowError.class,
                    () -> pool.forRange(100, 1, (from, to) -> {
                        throw new StackOverflowError();
                    }));
            coversOnce(pool, 100, 1);
        }
    }

    @Test
    @DisplayName("B3 a range may use forRange again")
    void nested() {
        try (WorkerPool pool = new WorkerPool(3)) {
            AtomicLong sum = new AtomicLong();
            pool.forRange(50, 1, (from, to) -> pool.forRange((to - from) * 40, 1, (a, b) -> sum.addAndGet(b - a)));
            assertEquals(2000, sum.get());
        }
    }

    @Test
    @DisplayName("B3 several queues share the workers at once")
    void manyQueues() {
        try (CpuBackend backend = new CpuBackend(3)) {
            List<CpuQueue> queues = new ArrayList<>();
            AtomicLong sum = new AtomicLong();
            for (int q = 0; q < 5; q++) {
                queues.add(backend.createQueue());
            }
            for (int i = 0; i < 2000; i++) {
                queues.get(i % 5).submit(workers -> workers.forRange(100, 3, (from, to) -> sum.addAndGet(to - from)));
            }
            queues.forEach(CpuQueue::synchronize);
            assertEquals(200_000, sum.get());
        }
    }

    @Test
    @DisplayName("B3 forRange refuses a negative size and a grain below one")
    void arguments() {
        try (WorkerPool pool = new WorkerPool(2)) {
            refused(ErrorCode.INVALID_ARGUMENT, () -> pool.forRange(-1, 1, (a, b) -> {}), "-1");
            refused(ErrorCode.INVALID_ARGUMENT, () -> pool.forRange(1, 0, (a, b) -> {}), "0");
            assertTrue(pool.parallelism() == 2);
        }
    }
}
