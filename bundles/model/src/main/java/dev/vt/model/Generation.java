package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.op.ExecutionContext;
import dev.vt.model.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;

/**
 * One call of a generator: takes the prompts through the decoder in pieces, then decodes all of them together, a token
 * of each a step. Each step pins the set of providers once, so that providers may come and go between two tokens. Made
 * for one call, used by one thread; closing it gives back what sequences hold.
 */
final class Generation implements AutoCloseable {
    private final Workspace workspace;
    private final Queue queue;
    private final ExecutionContext context;
    private final Tokenizer tokenizer;
    private final GenerateOptions options;
    private final GenerateListener listener;
    private final ModelOptions how;
    private final List<TextSequence> sequences = new ArrayList<>();
    private final List<TextSequence> choosing = new ArrayList<>();
    private final DecodeLoop loop;
    private long promptNanos;

    Generation(
            Workspace workspace,
            Workspace.Owner owner,
            Tokenizer tokenizer,
            GenerateOptions options,
            GenerateListener listener) {
        this.workspace = workspace;
        this.queue = owner.queue();
        this.context = owner.context();
        this.how = owner.options();
        this.tokenizer = tokenizer;
        this.options = options;
        this.listener = listener;
        this.loop = new DecodeLoop(workspace, queue, options, how, listener);
    }

    /** Adds a prompt. */
    void add(int[] prompt, int limit) {
        KvSequence cache = new KvSequence(workspace.cache(), workspace.states(), prompt.length + limit);
        sequences.add(new TextSequence(sequences.size(), prompt.clone(), limit, cache, tokenizer, options.ignoreEnd()));
    }

    void run() {
        boolean sameWork = workspace.sampler().configure(options);
        workspace.graphs().begin(sameWork);
        prompts();
        loop.run(sequences);
    }

    private void prompts() {
        int total = sequences.stream().mapToInt(TextSequence::promptLeft).sum();
        int done = 0;
        while (done < total) {
            workspace.inputs().clear();
            choosing.clear();
            feed();
            int slot = step();
            done += workspace.inputs().rows();
            listener.prompt(done, total);
            loop.deliver(choosing, slot);
        }
    }

    private void feed() {
        for (TextSequence sequence : sequences) {
            int count = Math.min(
                    sequence.promptLeft(), how.chunk() - workspace.inputs().rows());
            if (count > 0) {
                sequence.feedPrompt(workspace.inputs(), count, options.seed());
                if (sequence.promptLeft() == 0) {
                    choosing.add(sequence);
                }
            }
        }
    }

    /** Runs the step that the inputs describe, and says what to ask for its tokens with. */
    private int step() {
        long start = System.nanoTime();
        workspace.sampler().prepare(choosing);
        workspace.inputs().send(queue);
        workspace.tokens().beforeStep();
        context.begin();
        try {
            workspace.decoder().run();
            if (!choosing.isEmpty()) {
                workspace.sampler().run(choosing.size());
            }
        } finally {
            context.end();
        }
        int slot = workspace.tokens().send();
        queue.synchronize();
        workspace.tokens().await(slot);
        promptNanos += System.nanoTime() - start;
        return slot;
    }

    List<TextSequence> sequences() {
        return sequences;
    }

    double promptTokensPerSecond() {
        return rate(
                sequences.stream()
                        .mapToLong(s -> s.prompt().length - s.promptLeft())
                        .sum(),
                promptNanos);
    }

    /** The first token of each sequence comes out of its prompt's last step and does not count. */
    double tokensPerSecond() {
        return rate(loop.tokens(), loop.nanos());
    }

    private static double rate(long count, long nanos) {
        return nanos == 0 ? 0 : count * 1e9 / nanos;
    }

    @Override
    public void close() {
        sequences.forEach(TextSequence::close);
    }
}
