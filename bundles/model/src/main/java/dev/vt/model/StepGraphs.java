package dev.vt.model;

import dev.vt.api.VtException;
import dev.vt.api.device.Graph;
import dev.vt.api.device.Queue;
import dev.vt.api.device.StaleGraphException;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.OpRegistry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The graphs of decode steps, one for each padded number of sequences. The first step of a number runs as it is, so that
 * kernels are made ready; the second is captured; from then on the graph is replayed. When a provider has left, or any other
 * change could choose other kernels, the graph is captured anew. A step that can't be captured goes on as it is, and why is
 * told. Owned by a workspace; one thread at a time.
 */
final class StepGraphs implements AutoCloseable {
    /** From here on numbers are padded to its multiples instead of powers of two. */
    private static final int LINEAR = 32;

    private final OpRegistry registry;
    private final ExecutionContext context;
    private final Queue queue;
    private final boolean wanted;
    private final Map<Integer, Captured> graphs = new HashMap<>();
    private final Set<Integer> seen = new HashSet<>();
    private long epoch = -1;
    private String selection = "";
    private @Nullable String refused;
    private long captures;
    private long replays;
    private long plain;

    /** A graph and the selection that it was made from. */
    private record Captured(Graph graph, String selection) {}

    StepGraphs(OpRegistry registry, ExecutionContext context, Queue queue, boolean wanted) {
        this.registry = registry;
        this.context = context;
        this.queue = queue;
        this.wanted = wanted;
    }

    /** The number of rows that a step of so many sequences has, in a graph. */
    static int padded(int sequences) {
        return sequences <= LINEAR
                ? Integer.highestOneBit(2 * sequences - 1)
                : Math.ceilDiv(sequences, LINEAR) * LINEAR;
    }

    /** The number of rows that a step of so many sequences is to have now. */
    int rowsFor(int sequences) {
        return usable() ? padded(sequences) : sequences;
    }

    private boolean usable() {
        return wanted && refused == null;
    }

    /** Begins a generation: what was captured for other options is of no use, and what was refused may work now. */
    void begin(boolean sameWork) {
        if (!sameWork) {
            forget();
        }
        refused = null;
        captures = 0;
        replays = 0;
        plain = 0;
    }

    /** Queues a step of so many rows. */
    void run(int rows, Runnable step) {
        if (usable() && !seen.add(rows)) {
            Captured captured = current(rows, step);
            if (captured != null && replay(rows, captured)) {
                replays++;
                return;
            }
        }
        plain++;
        pinned(step);
    }

    private void pinned(Runnable step) {
        context.begin();
        try {
            step.run();
        } finally {
            context.end();
        }
    }

    /** False when it could not be captured again either. */
    private boolean replay(int rows, Captured captured) {
        try {
            captured.graph().replay(queue);
            return true;
        } catch (StaleGraphException e) {
            // Left since the look at the epoch; the step that is queued without a graph sees the new selection.
            graphs.remove(rows);
            captured.graph().close();
            return false;
        }
    }

    /** The graph of a number of rows, captured if need be; null where that is not possible. */
    private @Nullable Captured current(int rows, Runnable step) {
        String now = selection();
        Captured present = graphs.get(rows);
        if (present != null && present.selection().equals(now)) {
            return present;
        }
        if (present != null) {
            graphs.remove(rows);
            present.graph().close();
        }
        Graph graph = capture(step);
        if (graph == null) {
            return null;
        }
        captures++;
        Captured made = new Captured(graph, now);
        graphs.put(rows, made);
        return made;
    }

    /** Which kernels would be chosen now; asked in full only when something has changed, were it that calls are counted. */
    private String selection() {
        long now = registry.epoch();
        if (now != epoch) {
            selection = registry.digest();
            epoch = now;
        }
        return selection;
    }

    private @Nullable Graph capture(Runnable step) {
        boolean begun = false;
        try {
            queue.beginCapture();
            begun = true;
            pinned(step);
            begun = false;
            return queue.endCapture();
        } catch (VtException e) {
            refused = e.getMessage();
            return null;
        } finally {
            if (begun) {
                abandon();
            }
        }
    }

    private void abandon() {
        try {
            queue.endCapture().close();
        } catch (VtException e) {
            // Mostly the capture has ended by itself, for the reason that is already known.
            refused = refused == null ? e.getMessage() : refused;
        }
    }

    /** What became of the steps of this generation, for people. */
    String told() {
        if (refused != null) {
            return "none: " + refused;
        }
        if (!wanted) {
            return "off";
        }
        return replays + " of " + (replays + plain) + " steps replayed, " + captures + " captured";
    }

    private void forget() {
        graphs.values().forEach(c -> c.graph().close());
        graphs.clear();
        seen.clear();
    }

    @Override
    public void close() {
        forget();
    }
}
