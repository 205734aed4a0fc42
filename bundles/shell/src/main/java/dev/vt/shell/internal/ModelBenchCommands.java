package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.model.GenerateListener;
import dev.vt.model.GenerateOptions;
import dev.vt.model.GenerateResult;
import dev.vt.model.ModelOptions;
import dev.vt.model.TextGenerator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Measures how fast a model decodes. Any thread; two at a time disturb each other. */
@Component(
        service = ModelBenchCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=bench-model"})
public final class ModelBenchCommands extends CommandGroup {
    private final OpRegistry registry;
    private final BackendRegistry backends;

    @Activate
    public ModelBenchCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        this.registry = registry;
        this.backends = backends;
    }

    /**
     * How fast so many sequences decode together, the median of several runs; times in seconds.
     *
     * @param step time of a step, which gives each sequence a token
     * @param floor the least time of a step that the copy bandwidth of this run allows for the bytes that it reads
     * @param ratio step over floor
     * @param graph how many steps were replays
     */
    record Decoded(
            int batch,
            int prompt,
            int tokens,
            double promptTokensPerSecond,
            double tokensPerSecond,
            double step,
            double floor,
            double ratio,
            String graph,
            Map<String, Long> served) {
        private List<Object> cells() {
            return List.of(
                    batch,
                    prompt,
                    tokens,
                    promptTokensPerSecond,
                    tokensPerSecond,
                    time(step),
                    time(floor),
                    ratio,
                    graph);
        }

        private static String time(double seconds) {
            return String.format(Locale.ROOT, "%.1f us", seconds * 1e6);
        }
    }

    /** All measurements of one model. */
    record ModelBench(
            String device,
            String name,
            String model,
            String activations,
            double loadSeconds,
            long weightBytes,
            double copyBytesPerSecond,
            List<Decoded> results)
            implements View {
        @Override
        public void show(Page page) {
            page.line(String.format(
                    Locale.ROOT,
                    "%s (%s): %s, %.2f GB read in each step, loaded in %.2f s, activations %s; copy %.1f GB/s",
                    device,
                    name,
                    model,
                    weightBytes / 1e9,
                    loadSeconds,
                    activations,
                    copyBytesPerSecond / 1e9));
            page.table(
                    List.of("batch", "prompt", "tokens", "prompt/s", "tokens/s", "step", "floor", "ratio", "graphs"),
                    results.stream().map(Decoded::cells).toList());
        }
    }

    @Command(
            value = "measures how fast a model decodes, one sequence and several together, against the copy bandwidth"
                    + " of the same run",
            example = "vt:bench-model --batch 1,8 --prompt 16 --tokens 32")
    ModelBench benchModel(
            @Option(names = "--model", value = "FILE", about = "a GGUF file; else the model that comes with vt")
                    @Nullable
                    String model,
            @Option(
                            names = "--batch",
                            value = "N,...",
                            about = "how many sequences together; 1 if not given",
                            otherwise = "1")
                    String batches,
            @Option(
                            names = "--prompt",
                            value = "N",
                            about = "tokens of each prompt; 128 if not given",
                            otherwise = "128")
                    int prompt,
            @Option(
                            names = "--tokens",
                            value = "N",
                            about = "tokens to decode for each sequence; 128 if not given",
                            otherwise = "128")
                    int tokens,
            @Option(
                            names = "--runs",
                            value = "N",
                            about = "how often, after one run to warm up; 3 if not given",
                            otherwise = "3")
                    int runs,
            @Option(
                            names = {"-d", "--device"},
                            value = "DEVICE",
                            about = "where to run; cpu if not given",
                            otherwise = "cpu")
                    String device,
            @Option(
                            names = "--no-graphs",
                            about = "launches each kernel by itself on a device that could replay graphs")
                    boolean noGraphs,
            @Option(
                            names = "--activations",
                            value = "DTYPE",
                            about = "f32 or bf16, what lies between the products; if not given what suits the device")
                    @Nullable
                    String activations) {
        int[] sizes = sizes(batches);
        require("--prompt", prompt, 1);
        require("--tokens", tokens, 2);
        require("--runs", runs, 1);
        Backend backend = backends.get(backends.parse(device));
        ModelOptions how = GenerateCommands.how(backend, noGraphs, activations);
        double copy = Roofs.measure(backend).copyBytesPerSecond();
        long start = System.nanoTime();
        try (TextGenerator generator = TextGenerator.open(GenerateCommands.file(model), backend, registry, how)) {
            double load = (System.nanoTime() - start) / 1e9;
            List<Decoded> results = new ArrayList<>();
            for (int size : sizes) {
                results.add(decode(generator, size, prompt, tokens, runs, copy));
            }
            return new ModelBench(
                    backend.device().toString(),
                    backend.description(),
                    model == null ? "the model of vt" : model,
                    generator.activations().label(),
                    load,
                    generator.decodeBytes(1, 0),
                    copy,
                    results);
        }
    }

    private static int[] sizes(String list) {
        try {
            int[] sizes =
                    Arrays.stream(list.split(",")).mapToInt(Integer::parseInt).toArray();
            for (int size : sizes) {
                require("--batch", size, 1);
            }
            return sizes;
        } catch (NumberFormatException e) {
            throw VtException.invalidArgument(
                    "vt:bench-model: --batch: expected numbers with commas between them, given '" + list + "'");
        }
    }

    private static void require(String what, int value, int least) {
        if (value < least) {
            throw VtException.invalidArgument(
                    "vt:bench-model: " + what + ": expected " + least + " or more, given " + value);
        }
    }

    private static Decoded decode(
            TextGenerator generator, int batch, int prompt, int tokens, int runs, double copyBytesPerSecond) {
        GenerateOptions greedy = new GenerateOptions(tokens, 0, 0, 1, 0, 1, 0, 0, 0, true);
        List<GenerateResult> results = new ArrayList<>();
        for (int run = 0; run <= runs; run++) {
            List<int[]> prompts = prompts(generator.config().vocabulary(), batch, prompt, run);
            GenerateResult result = generator
                    .generateTokens(prompts, greedy, GenerateListener.NONE)
                    .getFirst();
            if (run > 0) {
                results.add(result);
            }
        }
        results.sort(Comparator.comparingDouble(GenerateResult::tokensPerSecond));
        GenerateResult median = results.get(results.size() / 2);
        double step = batch / median.tokensPerSecond();
        double floor = generator.decodeBytes(batch, prompt + tokens / 2.0) / copyBytesPerSecond;
        return new Decoded(
                batch,
                prompt,
                tokens,
                median.promptTokensPerSecond(),
                median.tokensPerSecond(),
                step,
                floor,
                step / floor,
                median.graph(),
                new TreeMap<>(median.served()));
    }

    private static List<int[]> prompts(int vocabulary, int batch, int length, int seed) {
        Random random = new Random(seed);
        List<int[]> out = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            out.add(random.ints(length, 0, vocabulary).toArray());
        }
        return out;
    }
}
