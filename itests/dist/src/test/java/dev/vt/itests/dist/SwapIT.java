package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The default model generates text while the provider of its matrix products comes, changes and goes. */
class SwapIT {
    /** Where the model's time goes: its matrices are quantised. */
    private static final String BUSY = "matmul_bt_quant";

    private static final String GENERATE = "vt:generate --json --ignore-end --tokens 500 'Once upon a time'";

    @TempDir
    Path folder;

    @Test
    @DisplayName("S16 vector is dropped in, disabled, enabled, replaced, removed while text is generated: no token is "
            + "lost or wrong")
    void providerComesAndGoes() throws IOException {
        Installation vt = Installation.unpack(folder);
        Path vector = vt.take("vt-provider-vector.jar");
        Path deployed = vt.deploy().resolve("vector.jar");
        try (Shell shell = vt.shell(Map.of("vt.deploy.poll", "20"))) {
            shell.run("vt:stats --on");
            List<Integer> alone = tokens(Json.parse(shell.run(GENERATE)));
            Bundles.withVersion(vector, "1.0.0", deployed);
            shell.awaitProvider("vector", "selected");
            JsonNode helped = Json.parse(shell.run(GENERATE));
            Files.delete(deployed);
            shell.awaitProvider("vector", "none");

            start(shell);
            change(shell, "vt-native", "selected", w -> !has(w, "vector"));
            Bundles.withVersion(vector, "1.0.0", deployed);
            change(
                    shell,
                    "vector",
                    "selected",
                    w -> link(w, "vector").path("version").asText().equals("1.0.0"));
            shell.run("vt:disable vector");
            change(
                    shell,
                    "vt-native",
                    "selected",
                    w -> link(w, "vector").path("state").asText().equals("disabled"));
            shell.run("vt:enable vector");
            change(
                    shell,
                    "vector",
                    "selected",
                    w -> link(w, "vt-native").path("state").asText().equals("below"));
            Bundles.withVersion(vector, "1.1.0", deployed);
            change(
                    shell,
                    "vector",
                    "selected",
                    w -> link(w, "vector").path("version").asText().equals("1.1.0"));
            Files.delete(deployed);
            change(shell, "vt-native", "selected", w -> !has(w, "vector"));

            check(stop(shell), alone, tokens(helped));
        }
        vt.assertNoErrorInLog();
        vt.assertNoCrashFile();
    }

    /** Starts generations in the background, one after the other until they are stopped. */
    private static void start(Shell shell) throws IOException {
        shell.run("going = (new java.util.ArrayList)");
        shell.run("results = (new java.util.ArrayList)");
        shell.run("$going add 1");
        shell.run("while { $going size } { $results add (" + GENERATE + ") } &");
    }

    /**
     * Waits until {@code vt:why} tells of the change, for both matrix products, and the selected provider has served
     * calls since.
     */
    private static void change(Shell shell, String name, String state, Predicate<JsonNode> told) throws IOException {
        Predicate<JsonNode> right = w -> w.path("selected").asText().equals(name)
                && link(w, name).path("state").asText().equals(state)
                && told.test(w);
        JsonNode now =
                shell.await("vt:why after a change to " + name, () -> shell.json("vt:why " + BUSY + " cpu"), right);
        shell.await("vt:why after a change to " + name, () -> shell.json("vt:why matmul_bt cpu"), right);
        long before = link(now, name).path("selections").asLong();
        shell.await(
                "calls that " + name + " served, beyond " + before,
                () -> link(shell.json("vt:why " + BUSY + " cpu"), name)
                        .path("selections")
                        .asLong(),
                n -> n > before);
    }

    private static boolean has(JsonNode why, String name) {
        return Json.column(why.path("chain"), "name").contains(name);
    }

    private static JsonNode link(JsonNode why, String name) {
        for (JsonNode link : why.path("chain")) {
            if (link.path("name").asText().equals(name)) {
                return link;
            }
        }
        return Json.parse("{}");
    }

    /** Lets the running generation end, and gives what all of them said. */
    private static List<JsonNode> stop(Shell shell) throws IOException {
        shell.runToEndOfJob("$going clear");
        List<JsonNode> all = new ArrayList<>();
        int count = Integer.parseInt(shell.run("$results size").strip());
        for (int i = 0; i < count; i++) {
            all.add(Json.parse(shell.run("$results get " + i)));
        }
        return all;
    }

    private static void check(List<JsonNode> results, List<Integer> alone, List<Integer> helped) {
        // The two providers round differently. Up to where their own texts part, if they do, every mixture must say
        // the same.
        int same = agreement(alone, helped);
        System.out.println("vt-native and vector agree on " + same + " of " + alone.size() + " tokens; generations: "
                + results.size());
        boolean mixed = false;
        for (JsonNode result : results) {
            assertEquals(500, tokens(result).size());
            assertEquals(alone.subList(0, same), tokens(result).subList(0, same));
            assertEquals(
                    result.path("calls").asLong(),
                    Json.sum(result.path("served")),
                    () -> "calls made and served: " + result);
            assertEquals(0, result.path("declines").asLong());
            assertEquals(0, result.path("referenceHits").asLong());
            mixed |= result.path("served").path("vector").asLong() > 0;
        }
        assertTrue(mixed, () -> "no generation had help from vector: " + results);
    }

    private static int agreement(List<Integer> a, List<Integer> b) {
        return (int) IntStream.range(0, Math.min(a.size(), b.size()))
                .takeWhile(i -> a.get(i).equals(b.get(i)))
                .count();
    }

    private static List<Integer> tokens(JsonNode result) {
        return Json.integers(result.path("tokens"));
    }
}
