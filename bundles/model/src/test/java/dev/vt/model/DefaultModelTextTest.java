package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.vt.api.spi.OpProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The embedded model against its golden tokens, which come from PyTorch on the f32 weights and from llama.cpp on this
 * very file and are the same: {@code training/goldens.json}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DefaultModelTextTest {
    private static final Pattern GREEDY =
            Pattern.compile("\"prompt\":\\s*\"([^\"]*)\",\\s*\"prompt_ids\":\\s*\\[([^]]*)],"
                    + "\\s*\"pytorch_f32\":\\s*\\{\\s*\"ids\":\\s*\\[([^]]*)]");

    private TestRuntime runtime;
    private TextGenerator generator;

    private record Golden(String prompt, int[] promptIds, List<Integer> ids) {}

    @BeforeAll
    void start() {
        runtime = new TestRuntime();
        generator = TextGenerator.open(null, runtime.backend(), runtime.ops());
    }

    @AfterAll
    void stop() {
        generator.close();
        runtime.close();
    }

    private static List<Golden> goldens() throws IOException {
        String json = Files.readString(Path.of("training", "goldens.json"));
        List<Golden> out = new ArrayList<>();
        Matcher m = GREEDY.matcher(json);
        while (m.find()) {
            out.add(new Golden(
                    m.group(1),
                    numbers(m.group(2)),
                    Arrays.stream(numbers(m.group(3))).boxed().toList()));
        }
        assertEquals(3, out.size());
        return out;
    }

    private static int[] numbers(String list) {
        return Arrays.stream(list.split(","))
                .map(String::trim)
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    @Test
    @DisplayName("64 greedy tokens of each golden prompt, one by one")
    void alone() throws IOException {
        for (Golden golden : goldens()) {
            assertArrayEquals(golden.promptIds(), generator.tokenizer().encode(golden.prompt()));
            GenerateResult result = generator.generate(golden.prompt(), greedy(64), GenerateListener.NONE);
            assertEquals(golden.ids(), result.tokens(), golden.prompt());
            assertFalse(result.ended());
            assertEquals(Map.of(OpProvider.NATIVE, result.calls()), result.served());
        }
    }

    @Test
    @DisplayName("64 greedy tokens of all golden prompts, decoded together")
    void together() throws IOException {
        List<Golden> goldens = goldens();
        List<GenerateResult> results = generator.generateBatch(
                goldens.stream().map(Golden::prompt).toList(), greedy(64), GenerateListener.NONE);
        for (int i = 0; i < goldens.size(); i++) {
            assertEquals(goldens.get(i).ids(), results.get(i).tokens());
        }
    }

    @Test
    @DisplayName("the text streams as it is in the result and is that of the golden tokens")
    void text() throws IOException {
        StringBuilder told = new StringBuilder();
        GenerateResult result = generator.generate(goldens().getFirst().prompt(), greedy(64), new GenerateListener() {
            @Override
            public void token(int sequence, int id, String text) {
                told.append(text);
            }
        });
        assertEquals(result.text(), told.toString());
        String start = " a man who had a daughter who was a beautiful daughter, and she was so";
        assertEquals(start, result.text().substring(0, start.length()));
    }

    private static GenerateOptions greedy(int tokens) {
        return new GenerateOptions(tokens, 0, 0, 1, 0, 1, 0, 0, 0, true);
    }
}
