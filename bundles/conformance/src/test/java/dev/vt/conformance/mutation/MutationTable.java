package dev.vt.conformance.mutation;

import dev.vt.conformance.OpResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The table of planted faults in the page about the kit. */
final class MutationTable {
    private static final Pattern TABLE =
            Pattern.compile("(?s)(<!-- mutations:begin -->\n)(.*?)(<!-- mutations:end -->)");
    private static final Pattern LONG_NUMBER = Pattern.compile("-?[0-9]+\\.[0-9]+(?:[eE][+-]?[0-9]+)?");

    private MutationTable() {}

    /** A planted fault and the first failure that the kit has told. */
    record Row(Mutant mutant, OpResult.Failure failure) {}

    /** The page, found upwards from where the test runs. */
    static Path page() throws IOException {
        for (Path p = Path.of("").toAbsolutePath(); p != null; p = p.getParent()) {
            Path page = p.resolve("docs/conformance.md");
            if (Files.exists(page)) {
                return page;
            }
        }
        throw new IOException("docs/conformance.md is in no folder above");
    }

    static String rows(List<Row> rows) {
        return "| planted fault | op | level | first case that tells it | what the kit says |\n"
                + "| --- | --- | --- | --- | --- |\n"
                + rows.stream().map(MutationTable::row).collect(Collectors.joining());
    }

    private static String row(Row r) {
        return "| " + r.mutant().fault() + " | `" + r.mutant().op() + "` | "
                + r.mutant().level().name().toLowerCase(Locale.ROOT) + " | "
                + r.failure().call() + " | "
                + shortened(r.failure().error()) + " |\n";
    }

    /** Six digits, since the last ones of a reference may differ from machine to machine; queues without their numbers. */
    private static String shortened(String sentence) {
        return LONG_NUMBER
                .matcher(sentence.replaceAll("queue [0-9]+", "queue N"))
                .replaceAll(m -> String.format(Locale.ROOT, "%.6g", Double.parseDouble(m.group())));
    }

    static String told(String page) {
        Matcher m = TABLE.matcher(page);
        return m.find() ? m.group(2) : "";
    }

    static String replaced(String page, String rows) {
        return TABLE.matcher(page).replaceFirst(m -> Matcher.quoteReplacement(m.group(1) + rows + m.group(3)));
    }
}
