package dev.vt.provider.cublaslt.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * The one thread on which cuBLASLt is started and asked for algorithms. What it keeps for a thread that did so holds the library in the
 * process until that thread ends, so it must not be a caller's. The thread begins with the first call; the provider ends it. Any thread
 * may call it.
 */
final class Planner implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
        Thread made = Thread.ofPlatform().daemon().name("vt-cublaslt").unstarted(work);
        made.setContextClassLoader(null);
        return made;
    });

    /** Does some work on the thread and waits for it; what it throws is thrown here. */
    <T> T call(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, thread).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Ends the thread. */
    @Override
    public void close() {
        thread.close();
    }
}
