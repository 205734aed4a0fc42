package dev.vt.model;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.CallCounts;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.model.gguf.GgufFile;
import dev.vt.model.tokenizer.Tokenizer;
import dev.vt.model.tokenizer.Tokenizers;
import dev.vt.ops.Ops;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A language model on one device that continues texts. All its work goes through the ops, so whichever providers the
 * registry selects serve it, and they may change between two tokens. Whoever opens a generator closes it. Any thread
 * may use it, one at a time: a call while another is under way is refused.
 */
public final class TextGenerator implements AutoCloseable {
    /** Positions are rounded up to this, so that a slightly longer request finds its workspace ready. */
    private static final int POSITION_STEP = 256;

    private final Backend backend;
    private final OpRegistry registry;
    private final GgufFile file;
    private final ModelOptions how;
    private final ModelConfig config;
    private final Tokenizer tokenizer;
    private final Queue queue;
    private final Weights weights;
    private final ExecutionContext context;
    private final CountingDispatcher dispatcher;
    private final Workspace.Owner owner;
    private final AtomicBoolean busy = new AtomicBoolean();
    private @Nullable Workspace workspace;
    private volatile boolean closed;

    /** Takes the file over only when it returns. */
    private TextGenerator(GgufFile file, Backend backend, OpRegistry registry, ModelOptions how) {
        this.backend = backend;
        this.registry = registry;
        this.file = file;
        this.how = how;
        config = ModelConfig.read(file);
        tokenizer = Tokenizers.of(file);
        if (tokenizer.size() != config.vocabulary()) {
            throw new VtException(
                    ErrorCode.FORMAT,
                    file.path()
                            + ": tensor 'token_embd.weight': expected a row for each of the "
                            + tokenizer.size() + " tokens of the vocabulary, given " + config.vocabulary());
        }
        queue = backend.createQueue();
        try {
            weights = Weights.load(file, config, backend, queue, how.activations());
            queue.synchronize();
        } catch (RuntimeException e) {
            queue.close();
            throw e;
        }
        context = registry.newContext();
        dispatcher = new CountingDispatcher(context);
        owner = new Workspace.Owner(backend, registry, context, new Ops(dispatcher), queue, config, weights, how);
    }

    /**
     * Opens a model.
     *
     * @param model a GGUF file of an architecture that {@link ModelConfig#ARCHITECTURES} lists, or null for the model
     *     that comes with this runtime
     * @param backend the device to run on; has to outlive the generator
     * @param registry finds the kernels
     */
    public static TextGenerator open(@Nullable Path model, Backend backend, OpRegistry registry) {
        return open(model, backend, registry, ModelOptions.of(backend));
    }

    /** As {@link #open(Path, Backend, OpRegistry)}, with another way to work. */
    public static TextGenerator open(@Nullable Path model, Backend backend, OpRegistry registry, ModelOptions options) {
        GgufFile file = GgufFile.open(model == null ? DefaultModel.path() : model);
        try {
            return new TextGenerator(file, backend, registry, options);
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    public ModelConfig config() {
        return config;
    }

    public Tokenizer tokenizer() {
        return tokenizer;
    }

    public Device device() {
        return backend.device();
    }

    /** What lies between the products and in the cache: f32 or bf16. */
    public DType activations() {
        return weights.activations();
    }

    /**
     * Bytes that a decode step reads at least: weights, and keys and values of the tokens so far.
     *
     * @param sequences how many are decoded together
     * @param tokens how many each has in the cache
     */
    public long decodeBytes(int sequences, double tokens) {
        Mixture mixture = config.mixture();
        double used = mixture == null ? 0 : Math.min(1, (double) sequences * mixture.used() / mixture.experts());
        long row = Tensor.bytes(weights.activations(), (long) config.kvHeads() * config.headSize());
        long layers = IntStream.range(0, config.layers())
                .filter(config::fullAttention)
                .count();
        return weights.sharedBytes() + (long) (used * weights.expertBytes() + sequences * tokens * 2 * layers * row);
    }

    /** Continues one text. See {@link #generateBatch}. */
    public GenerateResult generate(String prompt, GenerateOptions options, GenerateListener listener) {
        return generateBatch(List.of(prompt), options, listener).getFirst();
    }

    /**
     * Continues several texts together; each gets the tokens that it would get alone. A text that fills the model's
     * context stops there, with {@code ended} false.
     *
     * @return a result for each prompt, in their order
     */
    public List<GenerateResult> generateBatch(
            List<String> prompts, GenerateOptions options, GenerateListener listener) {
        return generateTokens(prompts.stream().map(tokenizer::encode).toList(), options, listener);
    }

    /** As {@link #generateBatch}, from token ids. */
    public List<GenerateResult> generateTokens(
            List<int[]> prompts, GenerateOptions options, GenerateListener listener) {
        check(prompts);
        if (!busy.compareAndSet(false, true)) {
            throw VtException.invalidArgument(
                    "generate: expected one generation at a time, given a second one; " + "open another generator");
        }
        try {
            if (closed) {
                throw VtException.closed("generate: the generator was closed");
            }
            return run(prompts, options, listener);
        } finally {
            busy.set(false);
        }
    }

    private void check(List<int[]> prompts) {
        if (prompts.isEmpty()) {
            throw VtException.invalidArgument("generate: expected 1 prompt or more, given none");
        }
        for (int i = 0; i < prompts.size(); i++) {
            int[] prompt = prompts.get(i);
            if (prompt.length == 0) {
                throw VtException.invalidArgument("generate: prompt " + i + ": expected 1 token or more, given none");
            }
            if (prompt.length > config.context()) {
                throw VtException.invalidArgument("generate: prompt " + i + ": expected at most " + config.context()
                        + " tokens, the context of the model, given " + prompt.length);
            }
            for (int token : prompt) {
                if (token < 0 || token >= config.vocabulary()) {
                    throw VtException.invalidArgument("generate: prompt " + i + ": expected token ids from 0 to "
                            + (config.vocabulary() - 1) + ", given " + token);
                }
            }
        }
    }

    private List<GenerateResult> run(List<int[]> prompts, GenerateOptions options, GenerateListener listener) {
        long callsBefore = dispatcher.calls();
        try (CallCounts counts = registry.count(backend.device());
                Generation generation =
                        new Generation(workspace(prompts, options), owner, tokenizer, options, listener)) {
            for (int[] prompt : prompts) {
                generation.add(prompt, limit(prompt, options));
            }
            generation.run();
            return results(generation, counts, dispatcher.calls() - callsBefore, told());
        } catch (RuntimeException e) {
            drain(e);
            throw e;
        }
    }

    private String told() {
        return workspace == null ? "off" : workspace.graphs().told();
    }

    /** The last token that a full context gives has no place in it and needs none. */
    private int limit(int[] prompt, GenerateOptions options) {
        return Math.min(options.tokens(), config.context() - prompt.length + 1);
    }

    private Workspace workspace(List<int[]> prompts, GenerateOptions options) {
        int positions = 1;
        int blocks = 0;
        for (int[] prompt : prompts) {
            int steps = Math.ceilDiv(prompt.length + limit(prompt, options) - 1, POSITION_STEP);
            int most = (int) Math.min(config.context(), (long) steps * POSITION_STEP);
            positions = Math.max(positions, most);
            blocks = Math.addExact(blocks, KvCache.blocksFor(most));
        }
        int sequences = how.graphs() ? StepGraphs.padded(prompts.size()) : prompts.size();
        Workspace.Size size = new Workspace.Size(Math.max(how.chunk(), sequences), sequences, positions, blocks);
        Workspace present = workspace;
        if (present != null && present.size().holds(size)) {
            return present;
        }
        if (present != null) {
            size = size.max(present.size());
            workspace = null;
            present.close();
        }
        workspace = new Workspace(owner, size);
        return workspace;
    }

    private static List<GenerateResult> results(Generation generation, CallCounts counts, long calls, String graph) {
        List<GenerateResult> out = new ArrayList<>();
        for (TextSequence sequence : generation.sequences()) {
            out.add(new GenerateResult(
                    sequence.text(),
                    sequence.promptTokens(),
                    sequence.tokens(),
                    sequence.ended(),
                    generation.promptTokensPerSecond(),
                    generation.tokensPerSecond(),
                    counts.served(),
                    calls,
                    counts.declines(),
                    counts.referenceHits(),
                    graph));
        }
        return out;
    }

    /** Waits for what a failed step left in the queues, so that the buffers can be used again. */
    private void drain(RuntimeException cause) {
        settle(queue::synchronize, cause);
        if (workspace != null) {
            settle(workspace.tokens()::settle, cause);
        }
    }

    private static void settle(Runnable wait, RuntimeException cause) {
        try {
            wait.run();
        } catch (RuntimeException e) {
            if (e != cause) {
                cause.addSuppressed(e);
            }
        }
    }

    /** The present workspace, for tests. */
    @Nullable
    Workspace workspace() {
        return workspace;
    }

    /** Frees everything; may be repeated. Refused while a generation is under way. */
    @Override
    public void close() {
        if (!busy.compareAndSet(false, true)) {
            throw VtException.invalidArgument(
                    "generate: the generator can't be closed while a generation is " + "under way");
        }
        try {
            if (!closed) {
                closed = true;
                release();
            }
        } finally {
            busy.set(false);
        }
    }

    private void release() {
        try (file;
                queue;
                context;
                weights) {
            if (workspace != null) {
                workspace.close();
            }
        }
    }
}
