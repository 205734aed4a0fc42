package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.vt.ops.OpTable;
import dev.vt.testkit.KernelBehaviour;
import dev.vt.testkit.ProviderBundle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One set of bundles gives one selection, in whatever order a process meets them. */
class OrderIT {
    @TempDir
    Path folder;

    @Test
    @DisplayName("S1 S2 S25 two processes that start five providers in reversed order print the same digest")
    void reversedOrder() throws IOException {
        List<ProviderBundle> five = List.of(
                provider("alpha", "a", "1.0.0", 50),
                provider("beta", "b", "1.0.0", 50),
                provider("gamma", "c", "1.0.0", 20),
                provider("gamma", "d", "1.1.0", 5),
                provider("delta", "e", "1.0.0", -3));
        Installation forward = Installation.unpack(folder.resolve("forward"));
        Installation backward = Installation.unpack(folder.resolve("backward"));
        String none = forward.command("vt:report --digest --json")
                .expect(0)
                .json()
                .path("digest")
                .asText();
        for (int i = 0; i < five.size(); i++) {
            five.get(i).writeTo(forward.deploy().resolve(i + ".jar"));
            five.get(i).writeTo(backward.deploy().resolve(five.size() - i + ".jar"));
        }
        Result first = result(forward);
        Result second = result(backward);
        assertNotEquals(first.bundles, second.bundles, "the order in which they were installed");
        assertNotEquals(none, first.digest);
        assertEquals(first.digest, second.digest);
        assertEquals(first.why, second.why);

        Installation live = Installation.unpack(folder.resolve("live"));
        try (Shell shell = live.shell()) {
            for (ProviderBundle bundle : five.reversed()) {
                bundle.writeTo(live.deploy());
                shell.awaitState(bundle.symbolicName() + ".jar", "active");
            }
            shell.await(
                    "the digest of those dropped in one by one",
                    () -> shell.json("vt:report --digest").path("digest").asText(),
                    first.digest::equals);
        }
        live.assertNoErrorInLog();
    }

    private static ProviderBundle provider(String name, String suffix, String version, int priority) {
        return ProviderBundle.named(name)
                .symbolicName("test.order." + suffix)
                .version(version)
                .priority(priority)
                .kernel(OpTable.MATMUL, KernelBehaviour.declines("a test"))
                .kernel(OpTable.ADD, KernelBehaviour.declines("a test"))
                .build();
    }

    private record Result(String digest, JsonNode why, List<String> bundles) {}

    private static Result result(Installation vt) throws IOException {
        List<String> lines = vt.command("vt:report --digest --json; vt:why matmul cpu --json; felix:lb -s")
                .expect(0)
                .out()
                .lines()
                .toList();
        List<String> bundles = new ArrayList<>(lines.subList(2, lines.size()));
        bundles.removeIf(line -> !line.contains("test.order."));
        assertEquals(5, bundles.size(), () -> String.join("\n", lines));
        return new Result(
                Json.parse(lines.get(0)).path("digest").asText(),
                Json.parse(lines.get(1)),
                bundles.stream()
                        .map(line -> line.replaceAll(".*(test\\.order\\.[a-e]).*", "$1"))
                        .toList());
    }
}
