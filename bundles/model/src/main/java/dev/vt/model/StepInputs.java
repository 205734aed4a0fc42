package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The integer operands of a step: token ids, positions, slots, block table and what belongs to them. They are filled in
 * page-locked host memory and go to the device in one copy. On the device they have one place for all steps, so that a
 * graph finds those of its replay; the ids are also where the choice of tokens goes, so that a step may follow without the
 * host having seen them. Owned by a workspace; one thread at a time; what is filled is one of two copies, so the step
 * before the one before has to be done.
 */
final class StepInputs implements AutoCloseable {
    private final Backend backend;
    private final int blocksPerSequence;
    private final long idsAt;
    private final long positionsAt;
    private final long slotsAt;
    private final long queryStartAt;
    private final long seqLensAt;
    private final long blockTableAt;
    private final long logitRowsAt;
    private final long seedsAt;
    private final long statesAt;
    private final long oldStatesAt;
    private final long continuedAt;
    private final long size;
    private final Memory host;
    private final MemorySegment[] halves = new MemorySegment[2];
    private int half;
    private MemorySegment segment;
    private final Memory device;
    private final FirstRows ids;
    private final FirstRows positions;
    private final FirstRows slots;
    private final FirstRows queryStart;
    private final FirstRows seqLens;
    private final FirstRows blockTable;
    private final FirstRows logitRows;
    private final FirstRows seeds;
    private final FirstRows states;
    private final FirstRows oldStates;
    private final FirstRows continued;
    private int rowCount;
    private int requestCount;
    private int logitRowCount;
    private boolean single = true;

    StepInputs(Backend backend, int maxRows, int maxSequences, int blocksPerSequence) {
        this.backend = backend;
        this.blocksPerSequence = blocksPerSequence;
        Regions regions = new Regions();
        idsAt = regions.add(DType.I64, maxRows);
        positionsAt = regions.add(DType.I32, maxRows);
        slotsAt = regions.add(DType.I64, maxRows);
        queryStartAt = regions.add(DType.I32, maxSequences + 1L);
        seqLensAt = regions.add(DType.I32, maxSequences);
        blockTableAt = regions.add(DType.I32, maxSequences, blocksPerSequence);
        logitRowsAt = regions.add(DType.I32, maxSequences);
        seedsAt = regions.add(DType.I64, maxSequences);
        statesAt = regions.add(DType.I32, maxSequences);
        oldStatesAt = regions.add(DType.I32, maxSequences);
        continuedAt = regions.add(DType.I32, maxSequences);
        size = regions.size();
        device = backend.allocate(size);
        try {
            host = backend.allocatePinned(2 * size);
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
        halves[0] = host.segment().asSlice(0, size);
        halves[1] = host.segment().asSlice(size, size);
        segment = halves[0];
        ids = rows(idsAt, DType.I64, maxRows);
        positions = rows(positionsAt, DType.I32, maxRows);
        slots = rows(slotsAt, DType.I64, maxRows);
        queryStart = rows(queryStartAt, DType.I32, maxSequences + 1L);
        seqLens = rows(seqLensAt, DType.I32, maxSequences);
        blockTable = rows(blockTableAt, DType.I32, maxSequences, blocksPerSequence);
        logitRows = rows(logitRowsAt, DType.I32, maxSequences);
        seeds = rows(seedsAt, DType.I64, maxSequences);
        states = rows(statesAt, DType.I32, maxSequences);
        oldStates = rows(oldStatesAt, DType.I32, maxSequences);
        continued = rows(continuedAt, DType.I32, maxSequences);
    }

    private FirstRows rows(long offset, DType dtype, long... shape) {
        return new FirstRows(Tensor.of(device, offset, dtype, shape));
    }

    /** Begins a step with nothing in it; the one before may still be on its way. */
    void clear() {
        half = 1 - half;
        segment = halves[half];
        rowCount = 0;
        requestCount = 0;
        logitRowCount = 0;
        single = true;
    }

    /** Adds the next tokens of a sequence as one request, and gives them a place in its cache. */
    void add(KvSequence sequence, int[] tokens, int from, int count) {
        for (int i = 0; i < count; i++) {
            segment.set(ValueLayout.JAVA_LONG, idsAt + 8L * (rowCount + i), tokens[from + i]);
        }
        add(sequence, count);
    }

    /** Adds a sequence with one token, which the device chose for this very row and has. */
    void addChosen(KvSequence sequence) {
        add(sequence, 1);
    }

    private void add(KvSequence sequence, int count) {
        int position = sequence.length();
        sequence.append(count);
        for (int i = 0; i < count; i++) {
            int row = rowCount + i;
            segment.set(ValueLayout.JAVA_INT, positionsAt + 4L * row, position + i);
            segment.set(ValueLayout.JAVA_LONG, slotsAt + 8L * row, sequence.slot(position + i));
        }
        long tableRow = blockTableAt + 4L * requestCount * blocksPerSequence;
        for (int i = 0; i < sequence.blockCount(); i++) {
            segment.set(ValueLayout.JAVA_INT, tableRow + 4L * i, sequence.block(i));
        }
        segment.set(ValueLayout.JAVA_INT, statesAt + 4L * requestCount, sequence.state());
        segment.set(ValueLayout.JAVA_INT, oldStatesAt + 4L * requestCount, position == 0 ? -1 : sequence.state());
        segment.set(ValueLayout.JAVA_INT, continuedAt + 4L * requestCount, position == 0 ? 0 : 1);
        single &= count == 1 && position > 0;
        segment.set(ValueLayout.JAVA_INT, seqLensAt + 4L * requestCount, sequence.length());
        endRequest(count);
    }

    private void endRequest(int count) {
        segment.set(ValueLayout.JAVA_INT, queryStartAt + 4L * requestCount, rowCount);
        rowCount += count;
        requestCount++;
        segment.set(ValueLayout.JAVA_INT, queryStartAt + 4L * requestCount, rowCount);
    }

    /**
     * Adds sequences of one token that stand for nothing, up to a number of rows: they write to no cache and to no state, and nobody
     * looks at their tokens.
     */
    void padTo(int rows) {
        while (rowCount < rows) {
            segment.set(ValueLayout.JAVA_LONG, idsAt + 8L * rowCount, 0);
            segment.set(ValueLayout.JAVA_INT, positionsAt + 4L * rowCount, 0);
            segment.set(ValueLayout.JAVA_LONG, slotsAt + 8L * rowCount, -1);
            segment.set(ValueLayout.JAVA_INT, blockTableAt + 4L * requestCount * blocksPerSequence, 0);
            segment.set(ValueLayout.JAVA_INT, statesAt + 4L * requestCount, -1);
            segment.set(ValueLayout.JAVA_INT, oldStatesAt + 4L * requestCount, -1);
            segment.set(ValueLayout.JAVA_INT, continuedAt + 4L * requestCount, 0);
            segment.set(ValueLayout.JAVA_INT, seqLensAt + 4L * requestCount, 1);
            endRequest(1);
            wantLogits(0);
        }
    }

    /** Asks for the logits after the last token of the request that was added last. */
    void wantLogits(long seed) {
        segment.set(ValueLayout.JAVA_INT, logitRowsAt + 4L * logitRowCount, rowCount - 1);
        segment.set(ValueLayout.JAVA_LONG, seedsAt + 8L * logitRowCount, seed);
        logitRowCount++;
    }

    /** Queues the copy to the device. */
    void send(Queue queue) {
        sendFrom(queue, 0);
    }

    /** The same for all but the ids, which stay as they were chosen there. */
    void sendWithoutIds(Queue queue) {
        sendFrom(queue, positionsAt);
    }

    private void sendFrom(Queue queue, long from) {
        backend.copy(queue, device, from, host, half * size + from, size - from);
    }

    /** Where the ids of the next step lie, i64. */
    FirstRows chosen() {
        return ids;
    }

    /** Tokens of the step. */
    int rows() {
        return rowCount;
    }

    /** Sequences of the step. */
    int requests() {
        return requestCount;
    }

    /** Rows whose logits are wanted. */
    int logitRows() {
        return logitRowCount;
    }

    Tensor ids() {
        return ids.of(rowCount);
    }

    Tensor positions() {
        return positions.of(rowCount);
    }

    Tensor slots() {
        return slots.of(rowCount);
    }

    Tensor queryStart() {
        return queryStart.of(requestCount + 1);
    }

    Tensor seqLens() {
        return seqLens.of(requestCount);
    }

    Tensor blockTable() {
        return blockTable.of(requestCount);
    }

    /** True when each sequence of the step has been there before and gets one token. */
    boolean single() {
        return single;
    }

    /** The state of linear attention that each sequence has. */
    Tensor states() {
        return states.of(requestCount);
    }

    /** The same before the step: negative for a sequence that begins. */
    Tensor oldStates() {
        return oldStates.of(requestCount);
    }

    /** For each sequence whether it has been there before. */
    Tensor continued() {
        return continued.of(requestCount);
    }

    Tensor logitRowIds() {
        return logitRows.of(logitRowCount);
    }

    /** The seed of one logits row, as a tensor of one element. */
    Tensor seed(int row) {
        return seeds.one(row);
    }

    @Override
    public void close() {
        host.close();
        device.close();
    }
}
