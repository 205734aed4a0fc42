package dev.vt.model;

import dev.vt.api.device.Queue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes several sequences together, a token of each a step. Where the device may go ahead the next step is queued before the
 * tokens of the last one are read: it takes them from where the last one put them. A sequence whose text has ended is in one
 * step more then, whose token is dropped. Made for one generation, used by one thread.
 */
final class DecodeLoop {
    /** A failure of the device shows where its queue is waited for; when it goes ahead that is once in so many steps. */
    private static final int CHECKED_STEPS = 64;

    private final Workspace workspace;
    private final Queue queue;
    private final GenerateOptions options;
    private final GenerateListener listener;
    private final boolean mayGoAhead;
    private long tokens;
    private long nanos;
    private int unchecked;

    /**
     * A step that was queued.
     *
     * @param sequences what its rows belong to
     * @param slot what to ask for its tokens with
     */
    private record Step(List<TextSequence> sequences, int slot) {
        /** True when the same sequences have a next step, whatever comes out of this one, unless a text ends. */
        boolean goesOn() {
            return sequences.stream().allMatch(TextSequence::goesOn);
        }
    }

    DecodeLoop(Workspace workspace, Queue queue, GenerateOptions options, ModelOptions how, GenerateListener listener) {
        this.workspace = workspace;
        this.queue = queue;
        this.options = options;
        this.listener = listener;
        this.mayGoAhead = how.ahead();
    }

    /** Decodes until all are finished. */
    void run(List<TextSequence> all) {
        boolean ahead = mayGoAhead && !workspace.sampler().penalizes();
        long start = System.nanoTime();
        long told = 0;
        Step last = first(all);
        while (last != null) {
            Step next = ahead && unchecked < CHECKED_STEPS && last.goesOn() ? next(last) : null;
            await(last, next);
            long arrived = System.nanoTime();
            tokens += deliver(last.sequences(), last.slot());
            told += System.nanoTime() - arrived;
            last = next != null ? next : first(all);
        }
        // What the listener does is no part of the rate, unless the device works meanwhile.
        nanos = System.nanoTime() - start - (ahead ? 0 : told);
    }

    private void await(Step step, @Nullable Step following) {
        workspace.tokens().await(step.slot());
        if (following == null) {
            queue.synchronize();
            unchecked = 0;
        } else {
            unchecked++;
        }
    }

    /** A step of all that are not finished, with tokens from the host; null where there is none. */
    private @Nullable Step first(List<TextSequence> all) {
        List<TextSequence> left = all.stream().filter(s -> !s.finished()).toList();
        if (left.isEmpty()) {
            return null;
        }
        StepInputs inputs = workspace.inputs();
        inputs.clear();
        left.forEach(s -> s.feedLast(inputs, options.seed()));
        return queue(left, false);
    }

    /** A step of the same sequences, with the tokens that the step before it chooses. */
    private Step next(Step before) {
        StepInputs inputs = workspace.inputs();
        inputs.clear();
        before.sequences().forEach(s -> s.feedChosen(inputs, options.seed()));
        return queue(before.sequences(), true);
    }

    private Step queue(List<TextSequence> sequences, boolean chosen) {
        StepInputs inputs = workspace.inputs();
        StepGraphs graphs = workspace.graphs();
        int rows = graphs.rowsFor(sequences.size());
        inputs.padTo(rows);
        workspace.sampler().prepare(sequences);
        if (chosen) {
            inputs.sendWithoutIds(queue);
        } else {
            inputs.send(queue);
        }
        workspace.tokens().beforeStep();
        graphs.run(rows, () -> {
            workspace.decoder().run();
            workspace.sampler().run(rows);
        });
        return new Step(sequences, workspace.tokens().send());
    }

    /** Gives the tokens of a step to its sequences, but for those that had ended before; says how many it were. */
    int deliver(List<TextSequence> sequences, int slot) {
        int count = 0;
        for (int row = 0; row < sequences.size(); row++) {
            TextSequence sequence = sequences.get(row);
            if (!sequence.finished()) {
                int token = workspace.tokens().token(slot, row);
                listener.token(sequence.index(), token, sequence.accept(token));
                count++;
            }
        }
        return count;
    }

    /** Tokens that were decoded. */
    long tokens() {
        return tokens;
    }

    /** How long that took. */
    long nanos() {
        return nanos;
    }
}
