package dev.vt.shell.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.tensor.DType;
import dev.vt.model.GenerateOptions;
import dev.vt.model.GenerateResult;
import dev.vt.model.ModelOptions;
import dev.vt.model.SyntheticModel;
import dev.vt.model.TextGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Generates text with a language model, and makes models for performance runs. Any thread. */
@Component(
        service = GenerateCommands.class,
        property = {"osgi.command.scope=vt", "osgi.command.function=generate", "osgi.command.function=generate-model"})
public final class GenerateCommands extends CommandGroup {
    private final OpRegistry registry;
    private final BackendRegistry backends;

    @Activate
    public GenerateCommands(@Reference OpRegistry registry, @Reference BackendRegistry backends) {
        this.registry = registry;
        this.backends = backends;
    }

    /** A continued text. Of several prompts that ran together, rates and counts are those of all. */
    record Generated(
            String prompt,
            String text,
            List<Integer> tokens,
            int promptTokens,
            boolean ended,
            double promptTokensPerSecond,
            double tokensPerSecond,
            Map<String, Long> served,
            long calls,
            long declines,
            long referenceHits,
            String graph,
            String device)
            implements View {
        static Generated of(String prompt, GenerateResult r, Device device) {
            return new Generated(
                    prompt,
                    r.text(),
                    r.tokens(),
                    r.promptTokens().size(),
                    r.ended(),
                    r.promptTokensPerSecond(),
                    r.tokensPerSecond(),
                    new TreeMap<>(r.served()),
                    r.calls(),
                    r.declines(),
                    r.referenceHits(),
                    r.graph(),
                    device.toString());
        }

        /** The text itself was printed as it came. */
        @Override
        public void show(Page page) {
            summary(page, List.of(this));
        }

        static void summary(Page page, List<Generated> all) {
            Generated one = all.getFirst();
            int prompt = all.stream().mapToInt(Generated::promptTokens).sum();
            int tokens = all.stream().mapToInt(g -> g.tokens().size()).sum();
            page.line("[" + one.device + ": prompt " + prompt + " tokens at " + Page.text(one.promptTokensPerSecond)
                    + "/s, generated " + tokens + " at " + Page.text(one.tokensPerSecond) + "/s; calls served: "
                    + one.served.entrySet().stream()
                            .map(e -> e.getKey() + " " + e.getValue())
                            .collect(Collectors.joining(", "))
                    + "; declines " + one.declines + "; reference hits " + one.referenceHits
                    + (one.graph.equals("off") ? "" : "; graphs: " + one.graph) + "]");
        }
    }

    /** Several texts that were continued together. */
    record Batch(List<Generated> texts) implements View {
        @Override
        public void show(Page page) {
            Generated.summary(page, texts);
        }

        @Override
        public Object json() {
            return texts;
        }
    }

    @Command(
            value = "continues a text with a language model; several prompts are decoded together",
            example = "vt:generate --tokens 40 'Once upon a time'")
    Object generate(
            Terminal terminal,
            @Option(names = "--model", value = "FILE", about = "a GGUF file; else the model that comes with vt")
                    @Nullable
                    String model,
            @Option(
                            names = "--tokens",
                            value = "N",
                            about = "how many tokens at most; 128 if not given",
                            otherwise = "128")
                    int tokens,
            @Option(
                            names = "--temp",
                            value = "T",
                            about = "temperature; 0, the default, takes the likeliest token",
                            otherwise = "0")
                    double temperature,
            @Option(
                            names = "--top-k",
                            value = "K",
                            about = "keeps the K likeliest tokens; 0, the default, keeps all",
                            otherwise = "0")
                    int topK,
            @Option(
                            names = "--top-p",
                            value = "P",
                            about = "keeps the likeliest tokens up to this probability; 1, the default, keeps all",
                            otherwise = "1")
                    double topP,
            @Option(
                            names = "--min-p",
                            value = "P",
                            about = "drops tokens below this part of the likeliest one's probability",
                            otherwise = "0")
                    double minP,
            @Option(
                            names = "--repeat-penalty",
                            value = "X",
                            about = "makes tokens that were seen less likely; 1, the default, does not",
                            otherwise = "1")
                    double repeatPenalty,
            @Option(
                            names = "--seed",
                            value = "S",
                            about = "what makes a temperature above 0 repeatable",
                            otherwise = "0")
                    long seed,
            @Option(
                            names = {"-d", "--device"},
                            value = "DEVICE",
                            about = "where to run; cpu if not given",
                            otherwise = "cpu")
                    String device,
            @Option(names = "--ignore-end", about = "goes on after the end-of-text token") boolean ignoreEnd,
            @Option(
                            names = "--no-graphs",
                            about = "launches each kernel by itself on a device that could replay graphs")
                    boolean noGraphs,
            @Option(
                            names = "--activations",
                            value = "DTYPE",
                            about = "f32 or bf16, what lies between the products; if not given what suits the device")
                    @Nullable
                    String activations,
            @Argument(name = "prompt...", about = "the text to continue; quote it") List<String> prompts) {
        GenerateOptions options =
                new GenerateOptions(tokens, temperature, topK, topP, minP, repeatPenalty, 0, 0, seed, ignoreEnd);
        Device on = backends.parse(device);
        TextPrinter printer = new TextPrinter(terminal, prompts);
        List<Generated> out = new ArrayList<>();
        ModelOptions how = how(backends.get(on), noGraphs, activations);
        try (TextGenerator generator = TextGenerator.open(file(model), backends.get(on), registry, how)) {
            printer.start();
            List<GenerateResult> results = generator.generateBatch(prompts, options, printer);
            for (int i = 0; i < results.size(); i++) {
                out.add(Generated.of(prompts.get(i), results.get(i), on));
            }
        } finally {
            printer.end();
        }
        printer.texts(out);
        return out.size() == 1 ? out.getFirst() : new Batch(List.copyOf(out));
    }

    static ModelOptions how(Backend backend, boolean noGraphs, @Nullable String activations) {
        ModelOptions best = ModelOptions.of(backend);
        return best.withGraphs(best.graphs() && !noGraphs)
                .withActivations(activations == null ? null : Dtypes.parse("--activations", activations));
    }

    static @Nullable Path file(@Nullable String model) {
        return model == null ? null : Path.of(model);
    }

    /** A file that was written. */
    record Written(String file, long bytes, String preset, String type, long seed) implements View {
        @Override
        public void show(Page page) {
            page.line("wrote " + file + ", " + bytes + " bytes: " + preset + " in " + type + ", seed " + seed);
        }
    }

    @Command(
            value = "writes a GGUF model of a given size with random weights, for performance runs",
            example = "vt:generate-model /tmp/tiny.gguf --preset tiny --type q8_0")
    Written generateModel(
            @Argument(name = "file", about = "the file to write") String file,
            @Option(
                            names = "--preset",
                            value = "NAME",
                            about = "the sizes: tiny, tiny-moe, qwen2.5-0.5b, llama-3.2-1b, qwen3-30b-a3b",
                            otherwise = "tiny")
                    String preset,
            @Option(
                            names = "--type",
                            value = "DTYPE",
                            about = "the format of the matrices; q8_0 if not given",
                            otherwise = "q8_0")
                    String type,
            @Option(
                            names = "--seed",
                            value = "S",
                            about = "what the weights come from; 1 if not given",
                            otherwise = "1")
                    long seed) {
        DType dtype = Dtypes.parse("--type", type);
        Path path = Path.of(file);
        try {
            SyntheticModel.write(path, SyntheticModel.Spec.preset(preset, dtype).withSeed(seed));
            return new Written(path.toString(), Files.size(path), preset, dtype.label(), seed);
        } catch (IOException e) {
            throw new VtException(
                    ErrorCode.INVALID_ARGUMENT, "vt:generate-model: " + path + " can't be written: " + e, e);
        }
    }
}
