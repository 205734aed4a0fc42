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
    private final int chunk;
    private final List<TextSequence> sequences = new ArrayList<>();
    private final List<TextSequence> choosing = new ArrayList<>();
    private long promptNanos;
    private long decodeNanos;
    private long decoded;

    Generation(
            Workspace workspace,
            Queue queue,
            ExecutionContext context,
            Tokenizer tokenizer,
            GenerateOptions options,
            GenerateListener listener,
            int chunk) {
        this.workspace = workspace;
        this.queue = queue;
        this.context = context;
        this.tokenizer = tokenizer;
        this.options = options;
        this.listener = listener;
        this.chunk = chunk;
    }

    /** Adds a prompt. */
    void add(int[] prompt, int limit) {
        KvSequence cache = new KvSequence(workspace.cache(), workspace.states(), prompt.length + limit);
        sequences.add(new TextSequence(sequences.size(), prompt.clone(), limit, cache, tokenizer, options.ignoreEnd()));
    }

    void run() {
        workspace.sampler().configure(options);
        prompts();
        while (sequences.stream().anyMatch(s -> !s.finished())) {
            decode();
        }
    }

    private void prompts() {
        int total = sequences.stream().mapToInt(TextSequence::promptLeft).sum();
        int done = 0;
        while (done < total) {
            begin();
            for (TextSequence sequence : sequences) {
                int count = Math.min(
                        sequence.promptLeft(), chunk - workspace.inputs().rows());
                if (count > 0) {
                    sequence.feedPrompt(workspace.inputs(), count, options.seed());
                    if (sequence.promptLeft() == 0) {
                        choosing.add(sequence);
                    }
                }
            }
            promptNanos += step();
            done += workspace.inputs().rows();
            listener.prompt(done, total);
            deliver();
        }
    }

    private void decode() {
        begin();
        for (TextSequence sequence : sequences) {
            if (!sequence.finished()) {
                sequence.feedLast(workspace.inputs(), options.seed());
                choosing.add(sequence);
            }
        }
        decodeNanos += step();
        decoded += choosing.size();
        deliver();
    }

    private void begin() {
        workspace.inputs().clear();
        choosing.clear();
    }

    /** Runs the step that the inputs describe, and says how long it took. */
    private long step() {
        long start = System.nanoTime();
        context.begin();
        try {
            workspace.inputs().send(queue);
            workspace.decoder().run();
            if (!choosing.isEmpty()) {
                workspace.sampler().run(choosing);
            }
        } finally {
            context.end();
        }
        queue.synchronize();
        return System.nanoTime() - start;
    }

    private void deliver() {
        for (int row = 0; row < choosing.size(); row++) {
            TextSequence sequence = choosing.get(row);
            int token = workspace.sampler().token(row);
            String piece = sequence.accept(token);
            listener.token(sequence.index(), token, piece);
        }
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
        return rate(decoded, decodeNanos);
    }

    private static double rate(long count, long nanos) {
        return nanos == 0 ? 0 : count * 1e9 / nanos;
    }

    @Override
    public void close() {
        sequences.forEach(TextSequence::close);
    }
}
