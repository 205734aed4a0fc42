package dev.vt.shell.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.VtException;
import dev.vt.deploy.Deployments;
import dev.vt.deploy.Deployments.Deployment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each command over a real runtime: what it answers, and that its JSON has the keys that may not change. */
class CommandsTest {
    private final TestShell shell = new TestShell();
    private final DeviceCommands devices = new DeviceCommands(shell.registry(), shell.backends());
    private final ConfigurationDouble configuration = new ConfigurationDouble();
    private final ProviderCommands providers =
            new ProviderCommands(shell.registry(), shell.backends(), configuration.admin());
    private final PolicyCommands policy = new PolicyCommands(shell.registry(), shell.backends(), configuration.admin());
    private final StatisticsCommands statistics = new StatisticsCommands(shell.registry(), shell.backends());
    private final ReportCommands report = new ReportCommands(shell.registry(), shell.backends());
    private final VerifyCommands verify = new VerifyCommands(shell.registry(), shell.backends());
    private final BenchCommands bench = new BenchCommands(shell.registry(), shell.backends());
    private final ModelBenchCommands modelBench = new ModelBenchCommands(shell.registry(), shell.backends());
    private final GenerateCommands generate = new GenerateCommands(shell.registry(), shell.backends());

    @AfterEach
    void close() {
        shell.close();
    }

    private static void keys(Object object, String... keys) {
        Set<?> present = ((Map<?, ?>) object).keySet();
        assertTrue(present.containsAll(Set.of(keys)), () -> List.of(keys) + " expected, " + present + " there");
    }

    private String error(CommandGroup group, String... line) {
        return String.valueOf(
                assertThrows(VtException.class, () -> shell.run(group, line)).getMessage());
    }

    @Test
    @DisplayName("S8 vt:devices: keys, and one row for the CPU")
    void devices() {
        List<Map<String, Object>> all = JsonReader.objects(shell.run(devices, "devices", "--json"));
        assertEquals(1, all.size());
        keys(all.getFirst(), "device", "name", "id", "state", "reason", "unified", "hostAddressable", "caps", "memory");
        keys(all.getFirst().get("memory"), "bytes", "blocks", "pinnedBytes", "pinnedFallbacks", "queues");
        keys(all.getFirst().get("caps"), "valid", "major", "minor", "units", "features");
        assertEquals("cpu:0", all.getFirst().get("device"));
        assertEquals("present", all.getFirst().get("state"));
        assertTrue(shell.run(devices, "devices").startsWith("DEVICE "));
    }

    @Test
    @DisplayName("S8 vt:providers: keys; sorted by device, priority and name; filters by device and op")
    void providers() {
        List<Map<String, Object>> all = JsonReader.objects(shell.run(providers, "providers", "--json"));
        keys(all.getFirst(), "name", "priority", "device", "state", "reason", "bundle", "version", "ops");
        assertEquals(
                List.of("guest", "vt-native"),
                all.stream().map(p -> p.get("name")).toList());
        assertEquals(
                List.of("guest", "vt-native"),
                JsonReader.objects(shell.run(providers, "providers", "-o", "relu", "-d", "cpu", "--json")).stream()
                        .map(p -> p.get("name"))
                        .toList());
        assertEquals(
                1,
                shell.run(providers, "providers", "-o", "add", "--no-format")
                        .lines()
                        .count());
        assertTrue(shell.run(providers, "providers", "-a").contains("paged_attention"));
    }

    @Test
    @DisplayName("S25 vt:why: keys; the whole chain with states and reasons")
    void why() {
        Map<String, Object> why = JsonReader.object(shell.run(providers, "why", "relu", "cpu", "--json"));
        keys(why, "op", "device", "selected", "chain");
        assertEquals("guest", why.get("selected"));
        List<?> chain = (List<?>) why.get("chain");
        keys(chain.getFirst(), "name", "priority", "state", "reason", "selections", "declines");
        assertEquals(2, chain.size());
        shell.run(providers, "disable", "guest");
        String text = shell.run(providers, "why", "relu", "cpu");
        assertTrue(text.startsWith("relu on cpu:0: vt-native is asked first"), text);
        assertTrue(text.lines().anyMatch(l -> l.startsWith("guest") && l.contains("disabled")), text);
    }

    @Test
    @DisplayName("S8 unknown ops, devices and providers list the near names")
    void nearNames() {
        assertTrue(
                error(providers, "why", "rms_nrm", "cpu").endsWith("no op is named 'rms_nrm'; near names: rms_norm"));
        assertTrue(error(providers, "why", "relu", "cpx").contains("cpu"));
        assertTrue(error(verify, "verify", "gest").contains("near names: guest"));
        assertTrue(error(new HelpCommands(), "help", "vt:wy").contains("vt:why"));
    }

    @Test
    @DisplayName("S20 disable and enable: idempotent, an unknown name is a warning, without --persist it says what a"
            + " restart does")
    void disable() {
        String first = shell.run(providers, "disable", "guest");
        assertEquals("guest is disabled\na restart forgets this; --persist keeps it", first);
        assertEquals(first, shell.run(providers, "disable", "guest"));
        assertEquals(
                "vt-native",
                JsonReader.object(shell.run(providers, "why", "relu", "cpu", "--json"))
                        .get("selected"));
        assertTrue(shell.run(providers, "disable", "gues").startsWith("warning: no provider is named 'gues' now;"));
        assertTrue(shell.run(providers, "disable", "gues").contains("near names: guest"));
        assertEquals(Set.of("gues", "guest"), shell.registry().disabled());
        assertEquals("guest is enabled", shell.run(providers, "enable", "guest"));
        assertEquals("guest was not disabled", shell.run(providers, "enable", "guest"));
        keys(JsonReader.object(shell.run(providers, "enable", "gues", "--json")), "name", "disabled", "messages");
    }

    @Test
    @DisplayName("S20 --persist writes the name to the configuration of the registry, and takes it out again")
    void persist() {
        configuration.properties.put("fallback", "allow");
        assertEquals("guest is disabled", shell.run(providers, "disable", "guest", "--persist"));
        assertEquals(List.of("guest"), List.of((Object[]) configuration.properties.get("disabled")));
        assertTrue(shell.run(providers, "enable", "guest").contains("a restart forgets this"));
        shell.run(providers, "enable", "guest", "--persist");
        assertEquals(0, ((Object[]) configuration.properties.get("disabled")).length);
        assertEquals("allow", configuration.properties.get("fallback"));
        ProviderCommands without = new ProviderCommands(shell.registry(), shell.backends(), null);
        assertTrue(error(without, "disable", "guest", "--persist").contains("ConfigurationAdmin"));
    }

    @Test
    @DisplayName("S19 vt:stats: keys; counts only while it is on; reset zeroes")
    void stats() {
        shell.run(statistics, "stats", "--on");
        assertTrue(shell.registry().countsCalls());
        shell.run(bench, "bench", "relu", "1x64", "--seconds", "0.01");
        Map<String, Object> row = JsonReader.objects(shell.run(statistics, "stats", "relu", "cpu", "--json", "--reset"))
                .getFirst();
        keys(row, "op", "device", "lastSelected", "selections", "declines", "fallbacks");
        assertTrue(
                (Double) row.get("selections") > 0 && row.get("declines").equals(row.get("selections")),
                row.toString());
        assertEquals(
                0.0,
                JsonReader.objects(shell.run(statistics, "stats", "relu", "--json"))
                        .getFirst()
                        .get("selections"));
        shell.run(statistics, "stats", "--off");
        assertFalse(shell.registry().countsCalls());
        assertEquals("vt:stats: expected --on or --off, given both", error(statistics, "stats", "--on", "--off"));
    }

    @Test
    @DisplayName("S6 vt:caps and vt:reference-tier: keys")
    void caps() {
        keys(
                JsonReader.object(shell.run(devices, "caps", "cpu", "--json")),
                "device",
                "valid",
                "major",
                "minor",
                "units",
                "features");
        keys(JsonReader.objects(shell.run(devices, "reference-tier", "--json")).getFirst(), "device", "state");
        assertTrue(shell.run(devices, "caps", "cpu", "--no-format").startsWith("device\tcpu:0\n"));
    }

    @Test
    @DisplayName("S24 vt:policy shows, sets and keeps; what it can't honour is an error")
    void policy() {
        String set = shell.run(policy, "policy", "cpu", "--fallback", "strict", "--deny", "guest,other", "--json");
        Map<String, Object> row = JsonReader.objects(set).getFirst();
        assertEquals(
                Map.of("device", "cpu:0", "fallback", "strict", "allow", List.of(), "deny", List.of("guest", "other")),
                row);
        assertTrue(shell.warnings().contains("no provider is named 'other' now"));
        assertEquals(
                "vt-native",
                JsonReader.object(shell.run(providers, "why", "relu", "cpu", "--json"))
                        .get("selected"));
        shell.run(policy, "policy", "--deny", "", "--persist");
        assertEquals("strict", configuration.properties.get("cpu:0.fallback"));
        assertEquals(0, ((Object[]) configuration.properties.get("cpu:0.deny")).length);
        assertEquals(
                "vt:policy: --fallback: expected one of allow, reference-off, strict, given 'no'",
                error(policy, "policy", "--fallback", "no"));
        assertTrue(error(policy, "policy", "--allow", "A B").contains("[a-z0-9.-]"));
    }

    @Test
    @DisplayName("S25 vt:report: keys; the digest alone is one line")
    void report() {
        Map<String, Object> all = JsonReader.object(shell.run(report, "report", "--json"));
        keys(all, "devices", "selections", "digest");
        assertEquals(all.get("digest"), shell.run(report, "report", "--digest"));
        assertEquals(all.get("digest"), shell.run(report, "report", "--digest", "--no-format"));
        assertTrue(shell.run(report, "report").contains("digest " + all.get("digest")));
    }

    @Test
    @DisplayName(
            "S8 vt:bench: keys; the provider named is the one that served; --ab gives both sides and leaves the switch"
                    + " as it was")
    void bench() {
        Map<String, Object> all = JsonReader.object(
                shell.run(bench, "bench", "relu", "1x64", "2x8", "--ab", "guest", "--seconds", "0.01", "--json"));
        keys(all, "machine", "results");
        keys(((Map<?, ?>) all.get("machine")).get("roofs"), "copyBytesPerSecond", "flopsPerSecond");
        List<?> results = (List<?>) all.get("results");
        assertEquals(4, results.size());
        keys(
                results.getFirst(),
                "op",
                "shapes",
                "dtype",
                "device",
                "provider",
                "median",
                "min",
                "host",
                "floor",
                "ratio",
                "samples",
                "graph",
                "relative");
        Map<?, ?> first = (Map<?, ?>) results.getFirst();
        assertTrue((double) first.get("host") > 0 && (double) first.get("host") <= (double) first.get("median"));
        assertEquals("vt-native", first.get("provider"), "the guest declines");
        assertNull(first.get("graph"));
        double relative = (double) first.get("relative") * (double) ((Map<?, ?>) results.get(1)).get("relative");
        assertEquals(1, relative, 1e-9, "each side over the other");
        assertEquals(Set.of(), shell.registry().disabled());
        assertEquals(
                "op matmul: expected sizes MxKxN, such as 17x96x65, given '3x4'",
                error(bench, "bench", "matmul", "3x4"));
        assertTrue(error(bench, "bench", "relu", "1x64", "--dtype", "q8_0")
                .contains("expected a dtype of [f32, f16, bf16]"));
        assertTrue(error(bench, "bench", "relu", "1x64", "--seconds", "0").contains("--seconds"));
        assertTrue(error(bench, "bench", "relu", "1x64", "--sets", "0").contains("expected 1 to 1000, given 0"));
    }

    @Test
    @DisplayName("S8 vt:bench --graph: the time of a call inside a replayed graph, of both sides; operands in turn")
    void benchGraphs() {
        Map<String, Object> all = JsonReader.object(shell.run(
                bench,
                "bench",
                "relu",
                "1x64",
                "--graph",
                "--sets",
                "3",
                "--ab",
                "guest",
                "--seconds",
                "0.01",
                "--json"));
        for (Object side : (List<?>) all.get("results")) {
            assertTrue((double) ((Map<?, ?>) side).get("graph") > 0, side.toString());
        }
        all = JsonReader.object(shell.run(bench, "bench", "relu", "1x64", "--graph", "--seconds", "0.01", "--json"));
        Map<?, ?> only = (Map<?, ?>) ((List<?>) all.get("results")).getFirst();
        assertTrue((double) only.get("graph") > 0);
        assertNull(only.get("relative"));
        assertTrue(shell.run(bench, "bench", "relu", "1x64", "--graph", "--seconds", "0.01")
                .contains("GRAPH"));
    }

    @Test
    @DisplayName("S8 vt:generate --json: keys, and nothing else on standard output")
    void generateJson() {
        Map<String, Object> all =
                JsonReader.object(shell.run(generate, "generate", "--tokens", "4", "--json", "Once upon a time"));
        keys(all, "text", "tokens", "promptTokensPerSecond", "tokensPerSecond", "served", "declines", "referenceHits");
        assertEquals(4, ((List<?>) all.get("tokens")).size());
        assertEquals("", shell.printed());
    }

    @Test
    @DisplayName("S8 vt:generate streams the text behind its prompt, then gives a summary; several prompts are a batch")
    void generateText() {
        Map<String, Object> alone =
                JsonReader.object(shell.run(generate, "generate", "--tokens", "4", "--json", "Once"));
        String summary = shell.run(generate, "generate", "--tokens", "4", "Once");
        assertEquals("Once" + alone.get("text") + System.lineSeparator(), shell.printed());
        assertTrue(summary.startsWith("[cpu:0: prompt ") && summary.contains("calls served: vt-native "), summary);
        List<Map<String, Object>> both =
                JsonReader.objects(shell.run(generate, "generate", "--tokens", "4", "--json", "Once", "The king"));
        assertEquals(alone.get("text"), both.getFirst().get("text"));
    }

    @Test
    @DisplayName("S8 vt:generate: what the options can't be is one sentence")
    void generateErrors() {
        assertEquals(
                "generate: temp: expected 0 or more, given -1.0", error(generate, "generate", "--temp", "-1", "x"));
        assertTrue(error(generate, "generate").contains("expected prompt..., given nothing"));
        assertTrue(error(generate, "generate", "--model", "/no/such.gguf", "x").contains("/no/such.gguf"));
        assertTrue(error(generate, "generate", "-d", "cuda:9", "x").contains("cuda:9"));
    }

    @Test
    @DisplayName("S8 vt:bench-model --json: keys; what the options can't be is one sentence")
    void benchModel() {
        Map<String, Object> all = JsonReader.object(shell.run(
                modelBench,
                "bench-model",
                "--batch",
                "1,3",
                "--prompt",
                "5",
                "--tokens",
                "3",
                "--runs",
                "1",
                "--json"));
        assertEquals("f32", all.get("activations"));
        List<?> results = (List<?>) all.get("results");
        assertEquals(2, results.size());
        Map<?, ?> second = (Map<?, ?>) results.get(1);
        assertEquals("off", second.get("graph"));
        assertTrue(((Number) second.get("ratio")).doubleValue() > 0);
        assertTrue(shell.run(modelBench, "bench-model", "--tokens", "2", "--runs", "1", "--prompt", "1")
                .contains("GB read in each step"));
        assertTrue(error(modelBench, "bench-model", "--batch", "1,x").contains("given '1,x'"));
        assertTrue(error(modelBench, "bench-model", "--batch", "0").contains("expected 1 or more, given 0"));
        assertTrue(error(modelBench, "bench-model", "--tokens", "1").contains("--tokens: expected 2 or more"));
    }

    @Test
    @DisplayName("S8 vt:generate-model writes a model that vt:generate reads")
    void generateModel(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("tiny.gguf");
        Map<String, Object> written =
                JsonReader.object(shell.run(generate, "generate-model", file.toString(), "--type", "q4_0", "--json"));
        assertEquals((double) Files.size(file), written.get("bytes"));
        assertEquals(
                2,
                ((List<?>) JsonReader.object(shell.run(
                                        generate,
                                        "generate",
                                        "--model",
                                        file.toString(),
                                        "--tokens",
                                        "2",
                                        "--ignore-end",
                                        "--json",
                                        "x"))
                                .get("tokens"))
                        .size());
        assertTrue(error(generate, "generate-model", file.toString(), "--type", "q4_1")
                .contains("near names: q4_0"));
    }

    @Test
    @DisplayName("D1 vt:deploy lists the files, and the reasons alone")
    void deploy() {
        Deployment good = new Deployment("a.jar", "active", "a", "1.0.0", "");
        Deployment bad = new Deployment("b.txt", "refused", "", "", "not a bundle");
        Deployments both = () -> List.of(good, bad);
        DeployCommands deploy = new DeployCommands(both);
        assertEquals(
                2, JsonReader.objects(shell.run(deploy, "deploy", "--json")).size());
        assertEquals("b.txt\trefused\tnot a bundle", shell.run(deploy, "deploy", "reasons", "--no-format"));
        assertEquals(
                "vt:deploy: expected list or reasons, given 'lists'; near names: list",
                error(deploy, "deploy", "lists"));
    }
}
