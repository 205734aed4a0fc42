package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.vt.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process itself: its environment, its end, and others beside it. */
class ProcessesIT {
    /** What 128 plus the number of SIGTERM gives. */
    private static final int SIGTERM_CODE = 143;

    @TempDir
    Path folder;

    @Test
    @DisplayName("two processes run side by side from one installation, and each takes its cache folder away")
    void sideBySide() throws IOException {
        Installation vt = Installation.unpack(folder);
        Installation.Running one = vt.start(vt.process("-c", "vt:generate --json --tokens 60 'Once upon a time'"));
        Installation.Running two = vt.start(vt.process("-c", "vt:generate --json --tokens 60 'Once upon a time'"));
        Ended first = one.end(Installation.PATIENCE).expect(0);
        Ended second = two.end(Installation.PATIENCE).expect(0);
        assertEquals(first.json().path("tokens"), second.json().path("tokens"));
        assertEquals(List.of(), first.complaints());
        assertEquals(List.of(), second.complaints());
        assertEquals(List.of(), files(vt.home().resolve("cache")));
        vt.assertNoErrorInLog();
    }

    @Test
    @DisplayName("O3.13 SIGTERM in the middle of generation: ends soon with 143, in order, without a crash file")
    void terminated() throws IOException {
        Installation vt = Installation.unpack(folder);
        ProcessBuilder builder = vt.process("-c", "vt:generate --ignore-end --tokens 500 'Once upon a time'");
        Installation.Running running = vt.start(builder);
        Eventually.within(Installation.PATIENCE)
                .see("text is coming", running::out, text -> text.length() > "Once upon a time".length() + 20);
        long from = System.nanoTime();
        running.process().destroy();
        Ended ended = running.end(Installation.PATIENCE).expect(SIGTERM_CODE);
        System.out.println("SIGTERM to the end: " + (System.nanoTime() - from) / 1_000_000 + " ms");
        assertFalse(ended.err().contains("gave up"), ended.err());
        assertFalse(ended.err().contains("Exception"), ended.err());
        assertTrue(vt.log().getLast().endsWith("- stopped"), () -> "the last line of the log");
        assertEquals(List.of(), files(vt.home().resolve("cache")));
        vt.assertNoErrorInLog();
        vt.assertNoCrashFile();
    }

    @Test
    @DisplayName("the linux-x64 package runs with an empty environment and without any Java on the path")
    void ownRuntime() throws IOException {
        Installation vt = Installation.unpackWithRuntime(folder);
        ProcessBuilder builder =
                vt.process("-c", "vt:providers --json; vt:generate --tokens 8 --json 'Once upon a time'");
        builder.environment().clear();
        builder.environment().put("PATH", tools().toString());
        Ended ended = vt.run(builder).expect(0);
        List<JsonNode> results = ended.out().lines().map(Json::parse).toList();
        assertEquals(List.of("vector", "vt-native"), Json.column(results.get(0), "name"));
        assertEquals(8, results.get(1).path("tokens").size());
        assertEquals(List.of(), ended.complaints());

        builder = vt.process("--version");
        builder.environment().clear();
        assertTrue(vt.run(builder).expect(0).out().startsWith("vt "));
    }

    /** A folder with what the start script calls, and nothing else. */
    private Path tools() throws IOException {
        Path bin = Files.createDirectory(folder.resolve("tools"));
        for (String tool : List.of("sh", "dirname", "readlink", "grep")) {
            Path real = Stream.of("/usr/bin", "/bin")
                    .map(d -> Path.of(d, tool))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
            Files.copy(real, bin.resolve(tool), StandardCopyOption.COPY_ATTRIBUTES);
        }
        return bin;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList();
        }
    }
}
