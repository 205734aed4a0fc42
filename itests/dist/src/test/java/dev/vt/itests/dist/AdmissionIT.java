package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.vt.ops.OpTable;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.ProviderBundle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Providers are tested before they serve. */
class AdmissionIT {
    private static final String WRONG = "wrong";

    /** Where the default model's time goes. */
    private static final String BUSY = "matmul_bt_quant";

    private static final String GENERATE = "vt:generate --json --ignore-end --tokens 20 'Once upon a time'";
    private static final String COMMANDS =
            "vt:stats --on; " + GENERATE + "; vt:why " + BUSY + " cpu --json; vt:why relu cpu --json";

    @TempDir
    Path folder;

    private Installation vt;

    @BeforeEach
    void unpack() throws IOException {
        vt = Installation.unpack(folder);
    }

    private static ProviderBundle wrong() {
        return ProviderBundle.named(WRONG)
                .priority(1000)
                .kernel(OpTable.MATMUL_BT_QUANT, KernelBehaviour.constant(7))
                .kernel(OpTable.RELU, KernelBehaviour.forwards())
                .build();
    }

    @Test
    @DisplayName(
            "D4 O3.14 a provider of which one kernel is wrong lies in the deploy folder: that kernel never serves a"
                    + " call, the text is right, and its other kernel is selected")
    void neverServes() throws IOException {
        List<Integer> right = tokens(vt.command(GENERATE).expect(0).json());
        wrong().writeTo(vt.deploy());
        List<JsonNode> said = run(vt.process("-c", COMMANDS));
        assertEquals(right, tokens(said.get(0)));
        JsonNode link = link(said.get(1));
        assertEquals("refused", link.path("state").asText());
        assertEquals(0, link.path("selections").asLong());
        assertTrue(
                link.path("reason").asText().matches("admission: " + BUSY + " \\S+.* expected .*"),
                link.path("reason").asText());
        assertEquals(WRONG, said.get(2).path("selected").asText());
        assertTrue(
                vt.log().stream().anyMatch(line -> line.contains("provider wrong on cpu:0: the kernel of op " + BUSY)),
                "the log tells of it");

        ProcessBuilder off = vt.process("-c", COMMANDS);
        off.environment().put("VT_OPTS", "-Dvt.admission=off");
        List<JsonNode> untested = run(off);
        assertEquals("selected", link(untested.get(1)).path("state").asText(), "without admission it would serve");
        assertTrue(link(untested.get(1)).path("selections").asLong() > 0);
    }

    @Test
    @DisplayName("D4 S1 commands wait for admission: each run of one command meets the same selection")
    void sameSelection() throws IOException {
        wrong().writeTo(vt.deploy());
        String command = "vt:report --digest --json";
        String digest = vt.command(command).expect(0).json().path("digest").asText();
        for (int i = 0; i < 3; i++) {
            assertEquals(
                    digest, vt.command(command).expect(0).json().path("digest").asText());
        }
        try (Shell shell = vt.shell()) {
            shell.await(
                    "the digest of an interactive process",
                    () -> shell.json("vt:report --digest").path("digest").asText(),
                    digest::equals);
        }
    }

    @Test
    @DisplayName("D4 dropped in while vt runs it is refused with the reason, and readmitted in a version that is right")
    void dropped() throws IOException {
        try (Shell shell = vt.shell()) {
            Path jar = ProviderBundle.named(WRONG)
                    .priority(1000)
                    .kernel(OpTable.MATMUL, KernelBehaviour.constant(7))
                    .build()
                    .writeTo(vt.deploy());
            shell.await(
                    "the reason",
                    () -> link(shell.json("vt:why matmul cpu")).path("reason").asText(),
                    reason -> reason.startsWith("admission: matmul "));
            assertEquals("refused", shell.provider(WRONG));
            assertEquals(
                    "vector", shell.json("vt:why matmul cpu").path("selected").asText());
            ProviderBundle.named(WRONG)
                    .version("1.0.1")
                    .priority(1000)
                    .kernel(OpTable.MATMUL, KernelBehaviour.forwards())
                    .build()
                    .writeTo(jar);
            shell.awaitProvider(WRONG, "selected");
        }
        vt.assertNoErrorInLog();
    }

    @Test
    @DisplayName("D4 a level that is none is an error in the log, and counts as quick")
    void badLevel() throws IOException {
        ProcessBuilder bad = vt.process("-c", "vt:why matmul cpu --json");
        bad.environment().put("VT_OPTS", "-Dvt.admission=ful");
        assertEquals("vector", vt.run(bad).expect(0).json().path("selected").asText());
        assertTrue(
                vt.log().stream()
                        .anyMatch(line -> line.contains(
                                "framework property vt.admission: expected off, quick or full, given 'ful'")),
                () -> "no such line in the log");
    }

    private List<JsonNode> run(ProcessBuilder builder) throws IOException {
        return vt.run(builder)
                .expect(0)
                .out()
                .lines()
                .filter(line -> line.startsWith("{"))
                .map(Json::parse)
                .toList();
    }

    private static JsonNode link(JsonNode why) {
        for (JsonNode link : why.path("chain")) {
            if (link.path("name").asText().equals(WRONG)) {
                return link;
            }
        }
        return Json.parse("{}");
    }

    private static List<Integer> tokens(JsonNode generated) {
        return Json.integers(generated.path("tokens"));
    }
}
