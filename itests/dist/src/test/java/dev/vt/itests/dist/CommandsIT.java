package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands given to {@code bin/vt}: exit codes, streams, JSON, wrong names. */
class CommandsIT {
    @TempDir
    static Path folder;

    private static Installation vt;

    @BeforeAll
    static void unpack() throws IOException {
        vt = Installation.unpack(folder);
    }

    @Test
    @DisplayName("O1.12 bin/vt runs on Java 25 without a word about restricted methods or a security manager")
    void startScript() throws IOException {
        Ended ended = vt.command("vt:providers").expect(0);
        assertFalse(ended.err().contains("restricted method"), ended.err());
        assertFalse(ended.err().contains("Security Manager"), ended.err());
        assertEquals(List.of(), ended.complaints());
        assertTrue(ended.out().lines().anyMatch(line -> line.matches("cpu:0 +vector +10 +selected .*")), ended.out());
        assertTrue(ended.out().lines().anyMatch(line -> line.matches("cpu:0 +vt-native +0 +selected .*")), ended.out());
        System.out.println("start, first command, end: " + ended.took().toMillis() + " ms");
    }

    @Test
    @DisplayName("several commands run one after the other and end with 0")
    void severalCommands() throws IOException {
        Ended ended = vt.command("vt:report --digest --json; vt:devices --json\nvt:why matmul_bt cpu --json")
                .expect(0);
        List<JsonNode> results = ended.out().lines().map(Json::parse).toList();
        assertEquals(3, results.size(), ended.out());
        assertTrue(results.get(0).path("digest").asText().matches("[0-9a-f]{64}"), ended.out());
        assertEquals("cpu:0", Json.column(results.get(1), "device").getFirst());
        assertEquals("vector", results.get(2).path("selected").asText());
        assertEquals(List.of("vector", "vt-native"), Json.column(results.get(2).path("chain"), "name"));
    }

    @Test
    @DisplayName("the first command that fails ends the run with 1; what came before it was printed, what follows is "
            + "not run")
    void stopsAtFailure() throws IOException {
        Ended ended = vt.command("vt:devices --json; vt:why matmull cpu; vt:providers --json")
                .expect(1);
        assertEquals("cpu:0", Json.column(ended.json(), "device").getFirst());
        assertEquals(1, ended.complaints().size(), ended.err());
    }

    @Test
    @DisplayName(
            "B11 without a CUDA driver the device is listed as absent with the reason, which is one line of the log")
    void noCudaDriver() throws IOException {
        ProcessBuilder without = vt.process("-c", "vt:devices --json");
        without.environment().put("VT_OPTS", "-Dvt.cuda.library=/nowhere/libcuda.so.1");
        Ended ended = vt.run(without).expect(0);
        assertEquals(List.of("cpu:0", "cuda:0"), Json.column(ended.json(), "device"));
        JsonNode cuda = ended.json().path(1);
        String reason = "no NVIDIA driver: /nowhere/libcuda.so.1 can't be loaded";
        assertEquals("absent", cuda.path("state").asText());
        assertEquals(reason, cuda.path("reason").asText());
        assertEquals(List.of(), ended.complaints());
        assertEquals(1, vt.log().stream().filter(line -> line.contains(reason)).count());
    }

    @Test
    @DisplayName("--script runs the commands of a file, comments and empty lines too")
    void script() throws IOException {
        Path script = Files.writeString(folder.resolve("a script.gosh"), """
            # what is here
            vt:devices --json

            vt:providers --json
            """);
        Ended ended = vt.run("--script", script.toString()).expect(0);
        List<JsonNode> results = ended.out().lines().map(Json::parse).toList();
        assertEquals(2, results.size(), ended.out());
        assertEquals(List.of("vector", "vt-native"), Json.column(results.get(1), "name"));
    }

    @Test
    @DisplayName("JSON of each command has the keys that scripts may rely on")
    void jsonKeys() throws IOException {
        Ended ended = vt.command("vt:devices --json; vt:providers --json; vt:why matmul_bt_quant cpu --json;"
                        + " vt:stats --json; vt:report --json; vt:generate --tokens 4 --json 'Once upon a time';"
                        + " vt:deploy list --json")
                .expect(0);
        List<JsonNode> results = ended.out().lines().map(Json::parse).toList();
        assertEquals(7, results.size(), ended.out());
        assertAll(
                () -> has(
                        results.get(0).path(0),
                        "device",
                        "name",
                        "id",
                        "state",
                        "reason",
                        "unified",
                        "hostAddressable",
                        "caps"),
                () -> has(results.get(0).path(0).path("caps"), "valid", "major", "minor", "units", "features"),
                () -> has(
                        results.get(1).path(0),
                        "name",
                        "priority",
                        "device",
                        "state",
                        "reason",
                        "bundle",
                        "version",
                        "ops"),
                () -> has(results.get(2), "op", "device", "selected", "chain"),
                () -> has(
                        results.get(2).path("chain").path(0),
                        "name",
                        "priority",
                        "state",
                        "reason",
                        "selections",
                        "declines"),
                () -> has(
                        results.get(3).path(0), "op", "device", "lastSelected", "selections", "declines", "fallbacks"),
                () -> has(results.get(4), "devices", "selections", "digest"),
                () -> has(
                        results.get(5),
                        "text",
                        "tokens",
                        "promptTokensPerSecond",
                        "tokensPerSecond",
                        "served",
                        "declines",
                        "referenceHits"),
                () -> assertEquals(4, results.get(5).path("tokens").size()),
                () -> assertTrue(results.get(6).isArray()));
    }

    private static void has(JsonNode object, String... keys) {
        for (String key : keys) {
            assertTrue(object.has(key), () -> "no key " + key + " in " + object);
        }
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("an unknown name is one sentence with what comes near, nothing on standard output, exit 1")
    @CsvSource(delimiter = '|', textBlock = """
        vt:provider                      | vt:providers
        vt:why matmul_bt_quan cpu        | matmul_bt_quant
        vt:why matmul_bt cpux            | cpu
        vt:providers --devic cpu         | --device
        vt:verify vectr                  | vector
        """)
    void unknownNames(String command, String near) throws IOException {
        Ended ended = vt.command(command).expect(1);
        assertEquals("", ended.out());
        assertEquals(1, ended.complaints().size(), ended.err());
        String sentence = ended.complaints().getFirst();
        assertTrue(sentence.startsWith("Error: ") && sentence.contains(near), sentence);
        assertFalse(sentence.contains("Exception"), sentence);
    }

    @Test
    @DisplayName("S20 disabling a name that matches nothing is a warning with the near name, and exit 0")
    void disableUnknown() throws IOException {
        Ended ended = vt.command("vt:disable vectr").expect(0);
        assertTrue(
                ended.out().contains("no provider is named 'vectr'")
                        && ended.out().contains("vector"),
                ended.out());
    }

    @Test
    @DisplayName("a wrong use of bin/vt is a sentence, the usage, and exit 2, without starting anything")
    void usage() throws IOException {
        for (List<String> wrong : List.of(
                List.of("-c"), List.of("--nonsense"), List.of("--script", "not/there"), List.of("-c", "a", "b"))) {
            Ended ended = vt.run(wrong.toArray(String[]::new)).expect(2);
            assertEquals("", ended.out());
            assertTrue(ended.err().contains("vt: ") && ended.err().contains("usage: vt"), ended.err());
        }
        assertTrue(vt.run("--version").expect(0).out().startsWith("vt "));
        assertTrue(vt.run("--help").expect(0).out().contains("--script FILE"));
    }

    @Test
    @DisplayName("the log file tells of the start and has no error")
    void log() throws IOException {
        vt.command("vt:devices").expect(0);
        assertTrue(vt.log().stream().anyMatch(line -> line.contains("dev.vt.launcher") && line.contains("started:")));
        vt.assertNoErrorInLog();
    }
}
