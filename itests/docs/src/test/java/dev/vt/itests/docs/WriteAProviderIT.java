package dev.vt.itests.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does what the page says, with the files and commands of its text, in a copy of the distribution. */
@Timeout(300)
class WriteAProviderIT {
    private static final String JAR = "example-silu.jar";

    @TempDir
    private Path folder;

    private final Repository repository = Repository.find();
    private final Map<String, String> blocks =
            repository.page("docs/write-a-provider.md").blocks();
    private Path vt;

    @BeforeEach
    void extract() throws IOException {
        vt = folder.resolve("vt");
        copyDistribution(repository.root().resolve("distribution/target/vt").toRealPath(), vt);
        for (Map.Entry<String, String> block : blocks.entrySet()) {
            if (block.getKey().contains(".")) {
                Path file = folder.resolve("work").resolve(block.getKey());
                Files.createDirectories(file.getParent());
                Files.writeString(file, block.getValue());
            }
        }
    }

    private static void copyDistribution(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path p : all.filter(
                            p -> !from.relativize(p).toString().matches("(cache|log|conf/cm|deploy/.*jar)(/.*)?"))
                    .toList()) {
                Files.copy(p, to.resolve(from.relativize(p).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    @Test
    @DisplayName("a provider of under sixty lines is built, checked and deployed with the commands of the page")
    void builtCheckedDeployed() throws Exception {
        assertTrue(blocks.get("src/org/example/silu/SiluProvider.java").lines().count() < 60);
        shell("build");
        assertTrue(shell("check").contains("selected=example-silu"));
        String deployed = shell("deploy");
        assertTrue(deployed.contains("example-silu is asked first"), deployed);
        assertTrue(deployed.contains("calls served: example-silu "), deployed);
        assertTrue(deployed.contains("declined: silu_and_mul: only f32 is served"), deployed);
    }

    @Test
    @DisplayName("dropped into a running generation it takes over, and the text is the same")
    void hot() throws Exception {
        shell("build");
        String generate = "vt:generate --tokens 500 --ignore-end 'Once upon a time'";
        String before = text(finish(start(generate)));

        Process running = start("vt:stats --on --no-format; " + generate + "; vt:why silu_and_mul cpu --json");
        StringBuilder seen = new StringBuilder();
        readUntil(running.getInputStream(), seen, "Once upon a time there");
        Files.copy(folder.resolve("work").resolve(JAR), vt.resolve("deploy").resolve(JAR));
        seen.append(finish(running));

        assertEquals(before, text(seen.toString()));
        assertTrue(served(seen.toString(), "example-silu") > 0, seen.toString());
        assertTrue(served(seen.toString(), "vt-native") > 0, seen.toString());
    }

    private static String text(String output) {
        return output.substring(output.indexOf("Once upon a time"), output.indexOf("\n[cpu:0: prompt"));
    }

    private static long served(String output, String provider) {
        Matcher m = Pattern.compile("\"name\":\"" + provider + "\".*?\"selections\":(\\d+)")
                .matcher(output);
        return m.find() ? Long.parseLong(m.group(1)) : 0;
    }

    /** Runs a block of the page. */
    private String shell(String block) throws IOException, InterruptedException {
        return finish(process(List.of("sh", "-eu", "-c", blocks.get(block))));
    }

    private Process start(String commands) throws IOException {
        return process(List.of(vt.resolve("bin/vt").toString(), "-c", commands));
    }

    private Process process(List<String> command) throws IOException {
        Path home = Path.of(System.getProperty("java.home"));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.resolve("work").toFile())
                .redirectErrorStream(true);
        builder.environment().put("VT", vt.toString());
        builder.environment().put("JAVA", home.resolve("bin").toString());
        builder.environment().put("VT_JAVA_HOME", home.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static void readUntil(InputStream in, StringBuilder seen, String text) throws IOException {
        while (seen.indexOf(text) < 0) {
            int c = in.read();
            assertTrue(c >= 0, "ended with: " + seen);
            seen.append((char) c);
        }
    }

    private static String finish(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }
}
