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

/**
 * Turns the logits of a step into token ids on the device: penalties, temperature, top-k and top-p, min-p, then a draw;
 * or the likeliest token where the temperature is 0 or next to it. Options that change nothing cost no call. Owned by a
 * workspace; one thread at a time.
 */
final class Sampler implements AutoCloseable {
    /** Below this {@code apply_temperature} takes a temperature for 1, and dividing by it would overflow. */
    private static final double LEAST_TEMPERATURE = 1e-5;

    private final Backend backend;
    private final Ops ops;
    private final Queue queue;
    private final int vocabulary;
    private final StepInputs inputs;
    private final StepBuffers buffers;
    private final Memory device;
    private final FirstRows ids;
    private final FirstRows topK;
    private final FirstRows temperature;
    private final FirstRows topP;
    private final FirstRows minP;
    private final FirstRows probabilities;
    private final PenaltyTables penalties;
    private GenerateOptions options = GenerateOptions.greedy(1);

    Sampler(Backend backend, Ops ops, Queue queue, int vocabulary, int maxSequences, Workspace.Parts parts) {
        this.backend = backend;
        this.ops = ops;
        this.queue = queue;
        this.vocabulary = vocabulary;
        this.inputs = parts.inputs();
        this.buffers = parts.buffers();
        Regions regions = new Regions();
        long topKAt = regions.add(DType.I32, maxSequences);
        long temperatureAt = regions.add(DType.F32, maxSequences);
        long topPAt = regions.add(DType.F32, maxSequences);
        long minPAt = regions.add(DType.F32, maxSequences);
        long probabilitiesAt = regions.add(DType.F32, maxSequences, vocabulary);
        device = backend.allocate(regions.size());
        ids = inputs.chosen();
        topK = rows(topKAt, DType.I32, maxSequences);
        temperature = rows(temperatureAt, DType.F32, maxSequences);
        topP = rows(topPAt, DType.F32, maxSequences);
        minP = rows(minPAt, DType.F32, maxSequences);
        probabilities = rows(probabilitiesAt, DType.F32, maxSequences, vocabulary);
        penalties = new PenaltyTables(backend, ops, queue, vocabulary, maxSequences);
    }

    private FirstRows rows(long offset, DType dtype, long... shape) {
        return new FirstRows(Tensor.of(device, offset, dtype, shape));
    }

    /**
     * Sets what holds for the next steps; the same for all sequences.
     *
     * @return true when the work of a step is the same as before, but for numbers on the device
     */
    boolean configure(GenerateOptions newOptions) {
        List<Boolean> before = work();
        options = newOptions;
        fill(temperature.whole(), (float) options.temperature());
        fill(topP.whole(), (float) options.topP());
        fill(minP.whole(), (float) options.minP());
        int[] k = new int[Math.toIntExact(topK.whole().elements())];
        Arrays.fill(k, Math.min(options.topK(), vocabulary));
        backend.upload(queue, device, topK.whole().offset(), MemorySegment.ofArray(k));
        if (penalizes()) {
            penalties.configure(options);
        }
        return work().equals(before);
    }

    /** What decides which ops there are. */
    private List<Boolean> work() {
        return List.of(penalizes(), greedy(), limitsCount(), limitsMass(), options.minP() > 0);
    }

    private boolean greedy() {
        return options.temperature() < LEAST_TEMPERATURE;
    }

    private boolean limitsCount() {
        return options.topK() > 0 && options.topK() < vocabulary;
    }

    private boolean limitsMass() {
        return options.topP() < 1;
    }

    private void fill(Tensor tensor, float value) {
        float[] all = new float[Math.toIntExact(tensor.elements())];
        Arrays.fill(all, value);
        backend.upload(queue, device, tensor.offset(), MemorySegment.ofArray(all));
    }

    /** True when the choice of a token needs the one before it on the host. */
    boolean penalizes() {
        return options.repetitionPenalty() != 1 || options.frequencyPenalty() != 0 || options.presencePenalty() != 0;
    }

    /**
     * Queues what the choice needs from the host, in the order of the rows of logits.
     *
     * @param sequences what the rows belong to
     */
    void prepare(List<TextSequence> sequences) {
        if (penalizes()) {
            penalties.prepare(sequences);
        }
    }

    /** Queues the choice of a token for each row of logits; it goes to where the next step finds its ids. */
    void run(int rows) {
        Tensor logits = buffers.logits.of(rows);
        if (penalizes()) {
            penalties.apply(logits, rows);
        }
        if (greedy()) {
            ops.greedyArgmax(queue, ids.of(rows), logits);
        } else {
            narrow(logits, rows);
            draw(logits, rows);
        }
    }

    private void narrow(Tensor logits, int rows) {
        ops.applyTemperature(queue, logits, temperature.of(rows), true);
        if (limitsCount() || limitsMass()) {
            ops.applyTopKTopP(queue, logits, limitsCount() ? topK.of(rows) : null, limitsMass() ? topP.of(rows) : null);
        }
        if (options.minP() > 0) {
            ops.applyMinP(queue, logits, minP.of(rows));
        }
    }

    /** Draws row by row: the noise depends on the row's number, and a sequence must not depend on its neighbours. */
    private void draw(Tensor logits, int rows) {
        ops.computeProbs(queue, probabilities.of(rows), logits);
        for (int row = 0; row < rows; row++) {
            ops.randomSample(queue, ids.one(row), probabilities.one(row), inputs.seed(row));
        }
    }

    /** A seed that depends on the generation's seed and the place of the token, by splitmix64. */
    static long seed(long seed, int position) {
        long z = seed + 0x9E3779B97F4A7C15L * (position + 1L);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    @Override
    public void close() {
        penalties.close();
        device.close();
    }
}
