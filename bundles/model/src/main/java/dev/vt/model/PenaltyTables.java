package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code apply_penalties} reads: for each row of logits, which tokens the prompt and the output have and how
 * often. A row that stays with its sequence gets one token more a step; a row that changes hands is sent as a whole.
 * Its memory is allocated when penalties are asked for first. Owned by a sampler; one thread at a time.
 */
final class PenaltyTables implements AutoCloseable {
    private final Backend backend;
    private final Ops ops;
    private final Queue queue;
    private final int vocabulary;
    private final @Nullable TextSequence[] owners;
    private @Nullable Tables tables;

    /** The tables on the device. */
    private record Tables(
            Memory memory,
            FirstRows promptMask,
            FirstRows outputMask,
            FirstRows counts,
            FirstRows repetition,
            FirstRows frequency,
            FirstRows presence) {}

    PenaltyTables(Backend backend, Ops ops, Queue queue, int vocabulary, int maxSequences) {
        this.backend = backend;
        this.ops = ops;
        this.queue = queue;
        this.vocabulary = vocabulary;
        this.owners = new TextSequence[maxSequences];
    }

    /** Begins a generation. */
    void configure(GenerateOptions options) {
        Arrays.fill(owners, null);
        Tables t = tables();
        fill(t.repetition(), (float) options.repetitionPenalty());
        fill(t.frequency(), (float) options.frequencyPenalty());
        fill(t.presence(), (float) options.presencePenalty());
    }

    private void fill(FirstRows rows, float value) {
        float[] all = new float[owners.length];
        Arrays.fill(all, value);
        upload(rows.whole(), 0, MemorySegment.ofArray(all));
    }

    /** Queues what the tables lack for a step. */
    void prepare(List<TextSequence> sequences) {
        Tables t = tables();
        for (int row = 0; row < sequences.size(); row++) {
            TextSequence sequence = sequences.get(row);
            if (owners[row] == sequence) {
                sendLast(t, row, sequence);
            } else {
                sendAll(t, row, sequence);
                own(row, sequence);
            }
        }
    }

    /** Queues the penalties of a step. */
    void apply(Tensor logits, int rows) {
        Tables t = tables();
        ops.applyPenalties(
                queue,
                logits,
                t.promptMask().of(rows),
                t.outputMask().of(rows),
                t.counts().of(rows),
                t.repetition().of(rows),
                t.frequency().of(rows),
                t.presence().of(rows));
    }

    /** A row that a sequence has left is stale, should it come back. */
    private void own(int row, TextSequence sequence) {
        for (int i = 0; i < owners.length; i++) {
            if (owners[i] == sequence) {
                owners[i] = null;
            }
        }
        owners[row] = sequence;
    }

    private void sendLast(Tables t, int row, TextSequence sequence) {
        int token = sequence.lastGenerated();
        long element = (long) row * vocabulary + token;
        upload(t.outputMask().whole(), element, MemorySegment.ofArray(new byte[] {1}));
        upload(t.counts().whole(), 4 * element, MemorySegment.ofArray(new int[] {sequence.count(token)}));
    }

    private void sendAll(Tables t, int row, TextSequence sequence) {
        byte[] prompt = new byte[vocabulary];
        for (int token : sequence.prompt()) {
            prompt[token] = 1;
        }
        byte[] output = new byte[vocabulary];
        int[] counts = new int[vocabulary];
        for (int i = 0; i < sequence.generatedCount(); i++) {
            output[sequence.generated(i)] = 1;
            counts[sequence.generated(i)]++;
        }
        long element = (long) row * vocabulary;
        upload(t.promptMask().whole(), element, MemorySegment.ofArray(prompt));
        upload(t.outputMask().whole(), element, MemorySegment.ofArray(output));
        upload(t.counts().whole(), 4 * element, MemorySegment.ofArray(counts));
    }

    private void upload(Tensor table, long byteOffset, MemorySegment from) {
        backend.upload(queue, table.memory(), table.offset() + byteOffset, from);
    }

    private Tables tables() {
        Tables t = tables;
        if (t == null) {
            t = allocate();
            tables = t;
        }
        return t;
    }

    private Tables allocate() {
        int rows = owners.length;
        Regions regions = new Regions();
        long promptAt = regions.add(DType.I8, rows, vocabulary);
        long outputAt = regions.add(DType.I8, rows, vocabulary);
        long countsAt = regions.add(DType.I32, rows, vocabulary);
        long repetitionAt = regions.add(DType.F32, rows);
        long frequencyAt = regions.add(DType.F32, rows);
        long presenceAt = regions.add(DType.F32, rows);
        Memory memory = backend.allocate(regions.size());
        return new Tables(
                memory,
                new FirstRows(Tensor.of(memory, promptAt, DType.I8, rows, vocabulary)),
                new FirstRows(Tensor.of(memory, outputAt, DType.I8, rows, vocabulary)),
                new FirstRows(Tensor.of(memory, countsAt, DType.I32, rows, vocabulary)),
                new FirstRows(Tensor.of(memory, repetitionAt, DType.F32, rows)),
                new FirstRows(Tensor.of(memory, frequencyAt, DType.F32, rows)),
                new FirstRows(Tensor.of(memory, presenceAt, DType.F32, rows)));
    }

    @Override
    public void close() {
        if (tables != null) {
            tables.memory().close();
        }
    }
}
