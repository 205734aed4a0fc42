package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model files that are not part of the project, against what another engine said about them. The system property {@code
 * vt.test.oracle} names a folder of files {@code NAME.json}, each with the path of its model, prompts and greedy
 * tokens: {"model": ..., "runs": [{"prompt": ..., "promptTokens": [...], "tokens": [...]}]}. Left out of usual builds by
 * its tag: {@code -Dvt.test.excluded= -Dvt.test.oracle=DIR} runs it.
 */
@Tag("oracle")
class OtherEngineTest {
    private static final Pattern RUN = Pattern.compile(
            "\"prompt\":\\s*\"([^\"\\\\]*)\",\\s*\"promptTokens\":\\s*\\[([^]]*)],\\s*\"tokens\":\\s*\\[([^]]*)]");
    private static final Pattern MODEL = Pattern.compile("\"model\":\\s*\"([^\"]+)\"");

    @Test
    @DisplayName("greedy tokens of f32 files are those of the other engine")
    void tokens() throws IOException {
        try (TestRuntime runtime = new TestRuntime();
                var files = Files.newDirectoryStream(Path.of(System.getProperty("vt.test.oracle")), "*32.json")) {
            for (Path file : files) {
                compare(runtime, file, Files.readString(file));
            }
        }
    }

    private static void compare(TestRuntime runtime, Path file, String json) {
        Matcher model = MODEL.matcher(json);
        assertEquals(true, model.find(), file + " names a model");
        try (TextGenerator generator = runtime.open(file.resolveSibling(model.group(1)))) {
            Matcher run = RUN.matcher(json);
            while (run.find()) {
                int[] prompt = numbers(run.group(2));
                int[] expected = numbers(run.group(3));
                assertArrayEquals(prompt, generator.tokenizer().encode(run.group(1)), file + ": " + run.group(1));
                GenerateOptions greedy = new GenerateOptions(expected.length, 0, 0, 1, 0, 1, 0, 0, 0, true);
                List<Integer> given = generator
                        .generateTokens(List.of(prompt), greedy, GenerateListener.NONE)
                        .getFirst()
                        .tokens();
                assertEquals(Arrays.stream(expected).boxed().toList(), given, file + ": " + run.group(1));
            }
        }
    }

    private static int[] numbers(String list) {
        return Arrays.stream(list.split(","))
                .map(String::trim)
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
