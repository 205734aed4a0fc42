package dev.vt.itests.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which test covers which numbered sentence: found by the display names of all tests, told by a table in a page. As a program it
 * writes the tables anew, keeping the reasons of those that stay open:
 * {@code java itests/docs/src/test/java/dev/vt/itests/docs/CoverageTables.java}
 */
final class CoverageTables {
    static final String SPECIFICATION = "docs/dev/specification.md";
    static final String FIELD_CASES = "docs/dev/field-cases.md";
    static final String OPEN = "open: ";
    private static final String NO_REASON = "?";

    private static final Pattern DISPLAY_NAME = Pattern.compile("@DisplayName\\(\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern NUMBERS = Pattern.compile("\\A(?:[OSBD][0-9]+(?:\\.[0-9]+)?(?:, | and | |: ?))+");
    private static final Pattern NUMBER = Pattern.compile("[OSBD][0-9]+(?:\\.[0-9]+)?");
    private static final Pattern TABLE =
            Pattern.compile("(?s)<!-- coverage:begin -->\n(\\|[^\n]*\n\\|[^\n]*\n)(.*?)<!-- coverage:end -->");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\S+) \\| (.*) \\|$");
    private static final Pattern SENTENCE =
            Pattern.compile("(?m)^(?:- \\*\\*([SBD][0-9]+)\\*\\*|\\| (O[0-9]\\.[0-9]+) \\| \\S)");

    /** O2 before O10, S9 before S10. */
    static final Comparator<String> ORDER = Comparator.<String, String>comparing(n -> n.substring(0, 1))
            .thenComparing(n -> Double.parseDouble(n.substring(1).split("\\.")[0]))
            .thenComparing(n -> n.contains(".") ? Integer.parseInt(n.split("\\.")[1]) : 0);

    private CoverageTables() {}

    public static void main(String[] args) throws IOException {
        Repository repository = Repository.find();
        for (String name : Set.of(SPECIFICATION, FIELD_CASES)) {
            Path page = repository.root().resolve(name);
            String text = Repository.read(page);
            Matcher table = TABLE.matcher(text);
            if (!table.find()) {
                throw new IOException(name + " has no table between the markers");
            }
            String rows = rows(sentences(text), told(text), tests(repository));
            Files.writeString(page, text.substring(0, table.start(2)) + rows + text.substring(table.end(2)));
        }
    }

    private static String rows(
            Set<String> numbers, Map<String, String> told, Map<String, Map<String, Set<String>>> tests) {
        StringBuilder out = new StringBuilder();
        for (String number : numbers) {
            String before = told.getOrDefault(number, "");
            Map<String, Set<String>> by = tests.get(number);
            String cell = by != null
                    ? by.entrySet().stream()
                            .map(e -> e.getKey() + ": " + String.join(", ", e.getValue()))
                            .collect(Collectors.joining("; "))
                    : before.startsWith(OPEN) ? before : OPEN + NO_REASON;
            out.append("| ").append(number).append(" | ").append(cell).append(" |\n");
        }
        return out.toString();
    }

    /** The numbers of a page's sentences, in order. */
    static Set<String> sentences(String page) {
        int end = page.indexOf("<!-- coverage:begin -->");
        Set<String> out = new TreeSet<>(ORDER);
        SENTENCE.matcher(page.substring(0, end))
                .results()
                .forEach(m -> out.add(m.group(1) == null ? m.group(2) : m.group(1)));
        return out;
    }

    /** What the page's table says, by number. */
    static Map<String, String> told(String page) {
        Map<String, String> out = new TreeMap<>(ORDER);
        Matcher table = TABLE.matcher(page);
        if (table.find()) {
            ROW.matcher(table.group(2)).results().forEach(m -> out.put(m.group(1), m.group(2)));
        }
        return out;
    }

    /** The names of test classes by number, then by module. */
    static Map<String, Map<String, Set<String>>> tests(Repository repository) {
        Map<String, Map<String, Set<String>>> out = new TreeMap<>(ORDER);
        for (Path file : repository.files(n -> n.contains("/src/test/java/") && n.endsWith(".java"))) {
            String name = repository.name(file);
            String module = name.substring(0, name.indexOf("/src/test/"));
            String test = file.getFileName().toString().replace(".java", "");
            DISPLAY_NAME.matcher(Repository.read(file)).results().forEach(m -> {
                Matcher numbers = NUMBERS.matcher(m.group(1));
                if (numbers.find()) {
                    NUMBER.matcher(numbers.group())
                            .results()
                            .forEach(n -> out.computeIfAbsent(n.group(), k -> new TreeMap<>())
                                    .computeIfAbsent(module, k -> new TreeSet<>())
                                    .add(test));
                }
            });
        }
        return out;
    }
}
