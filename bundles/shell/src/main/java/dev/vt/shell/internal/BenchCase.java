package dev.vt.shell.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Graph;
import dev.vt.api.device.Queue;
import dev.vt.conformance.DeviceCase;
import dev.vt.conformance.spec.TestCase;
import dev.vt.ops.Ops;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * A call to be measured: one or more sets of its operands on a device, used in turn, and the queue that the calls go to. Owns both. One
 * thread.
 */
final class BenchCase implements AutoCloseable {
    private final Queue queue;
    private final List<DeviceCase> sets = new ArrayList<>();

    BenchCase(TestCase testCase, Backend backend, int count) {
        queue = backend.createQueue();
        try {
            for (int i = 0; i < count; i++) {
                sets.add(new DeviceCase(testCase, backend, queue));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    int sets() {
        return sets.size();
    }

    /** Some set, to find out who serves. */
    DeviceCase first() {
        return sets.getFirst();
    }

    /** Queues so many calls. */
    void call(Ops ops, int calls) {
        for (int i = 0; i < calls; i++) {
            sets.get(i % sets.size()).call(ops);
        }
    }

    /** Records so many calls; the caller closes the graph. */
    Graph record(Ops ops, int calls) {
        queue.beginCapture();
        try {
            call(ops, calls);
        } catch (RuntimeException e) {
            queue.endCapture().close();
            throw e;
        }
        return queue.endCapture();
    }

    void replay(Graph graph) {
        graph.replay(queue);
    }

    /** Puts back what calls have written in place. */
    void restore() {
        if (Thread.interrupted()) {
            throw new CancellationException("vt:bench: stopped");
        }
        sets.forEach(DeviceCase::restore);
    }

    void synchronize() {
        queue.synchronize();
    }

    @Override
    public void close() {
        try {
            sets.forEach(DeviceCase::close);
        } finally {
            queue.close();
        }
    }
}
