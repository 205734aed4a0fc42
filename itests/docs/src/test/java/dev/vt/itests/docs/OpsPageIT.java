package dev.vt.itests.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The table of the page of ops is what a running registry says. With {@code -Dvt.ops.table=write} it is written anew. */
@Timeout(120)
class OpsPageIT {
    private static final String PAGE = "docs/ops.md";
    private static final Pattern TABLE = Pattern.compile("(?s)(<!-- ops:begin -->\n).*?(<!-- ops:end -->)");
    private static final Pattern SELECTION =
            Pattern.compile("\\{\"op\":\"(\\w+)\",\"device\":\"(\\w+):0\",\"selected\":[^,]*,\"chain\":\\[(.*?)\\]\\}");
    private static final Pattern NAME = Pattern.compile("\\{\"name\":\"([^\"]+)\"");

    private final Repository repository = Repository.find();

    @Test
    @DisplayName("the table of docs/ops.md is that of the running registry")
    void table() throws Exception {
        Map<String, List<String>> ours = ours();
        StringBuilder rows = new StringBuilder(
                "| id | op | vllm.cpp: CPU | CUDA | Metal | Vulkan | vt: CPU |\n" + "|---|---|---|---|---|---|---|\n");
        int[] counts = new int[5];
        for (String line : others()) {
            String[] cells = line.split("\t", -1);
            List<String> providers = ours.getOrDefault(cells[1], List.of());
            assertTrue(!providers.isEmpty(), () -> "op " + cells[1] + " has no kernel on the CPU");
            rows.append("| ").append(cells[0]).append(" | `").append(cells[1]).append("` |");
            for (int i = 0; i < 4; i++) {
                boolean has = cells[2].indexOf("CUMV".charAt(i)) >= 0;
                counts[i] += has ? 1 : 0;
                rows.append(has ? " yes |" : " - |");
            }
            counts[4]++;
            rows.append(' ').append(String.join(", ", providers)).append(" |\n");
        }
        rows.append("| | all | ")
                .append(java.util.Arrays.stream(counts)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" | ")))
                .append(" |\n");
        assertEquals(counts[4], ours.size(), () -> "ops that the page does not know: " + ours.keySet());
        Path page = repository.root().resolve(PAGE);
        String text = Repository.read(page);
        String wanted = TABLE.matcher(text).replaceFirst("$1" + Matcher.quoteReplacement(rows.toString()) + "$2");
        if ("write".equals(System.getProperty("vt.ops.table"))) {
            Files.writeString(page, wanted);
        } else {
            assertEquals(wanted, text, PAGE + ": write its table anew with -Dvt.ops.table=write");
        }
    }

    private static List<String> others() throws IOException {
        try (InputStream in = Objects.requireNonNull(
                OpsPageIT.class.getResourceAsStream("/other-runtime.tsv"), "other-runtime.tsv")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(l -> !l.startsWith("#"))
                    .toList();
        }
    }

    /** The providers of each op on the CPU, in selection order. */
    private Map<String, List<String>> ours() throws IOException, InterruptedException {
        Map<String, List<String>> out = new TreeMap<>();
        Matcher selections = SELECTION.matcher(report());
        while (selections.find()) {
            if (selections.group(2).equals("cpu")) {
                out.put(
                        selections.group(1),
                        NAME.matcher(selections.group(3))
                                .results()
                                .map(m -> m.group(1))
                                .toList());
            }
        }
        return out;
    }

    private String report() throws IOException, InterruptedException {
        Path vt = repository.root().resolve("distribution/target/vt/bin/vt");
        ProcessBuilder builder = new ProcessBuilder(vt.toString(), "-c", "vt:report --json");
        builder.environment().put("VT_JAVA_HOME", System.getProperty("java.home"));
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }
}
