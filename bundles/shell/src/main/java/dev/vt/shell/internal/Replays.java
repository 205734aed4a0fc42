package dev.vt.shell.internal;

import dev.vt.api.device.Graph;
import dev.vt.ops.Ops;

/** Takes the time of a call inside a graph that is replayed. Owns the graph. One thread. */
final class Replays implements AutoCloseable {
    /** More make no difference to the time of one. */
    private static final int MOST_CALLS = 200;

    private static final int LEAST_SAMPLES = 5;

    private final BenchCase device;
    private final Graph graph;
    private final int calls;
    private final int replays;
    private final Samples samples = new Samples();

    /** Records the call as it is served now; a sample has at least so many calls. */
    Replays(BenchCase device, Ops ops, int least) {
        this.device = device;
        int sets = device.sets();
        calls = Math.ceilDiv(Math.min(least, MOST_CALLS), sets) * sets;
        replays = Math.ceilDiv(least, calls);
        device.restore();
        graph = device.record(ops, calls);
        batch();
    }

    void sample(long nanos) {
        long end = System.nanoTime() + nanos;
        for (int taken = 0; taken < LEAST_SAMPLES || System.nanoTime() < end; taken++) {
            samples.add(batch());
        }
    }

    private double batch() {
        device.restore();
        long start = System.nanoTime();
        for (int i = 0; i < replays; i++) {
            device.replay(graph);
        }
        device.synchronize();
        return (System.nanoTime() - start) / 1e9 / replays / calls;
    }

    double median() {
        return samples.median();
    }

    @Override
    public void close() {
        graph.close();
    }
}
