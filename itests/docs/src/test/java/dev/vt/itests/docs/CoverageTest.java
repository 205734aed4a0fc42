package dev.vt.itests.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoverageTest {
    private final Repository repository = Repository.find();

    @Test
    @DisplayName("the specification has every sentence from S1 to S30, B1 to B11, D1 to D4")
    void sentences() {
        Set<String> expected = numbered(Stream.of("S30", "B11", "D4"), "");
        assertEquals(expected, CoverageTables.sentences(text(CoverageTables.SPECIFICATION)));
    }

    @Test
    @DisplayName("the field cases are O1.1 to O1.13, O2.1 to O2.8, O3.1 to O3.14, O4.1 to O4.15, O5.1 to O5.5")
    void cases() {
        Set<String> expected = numbered(Stream.of("O1.13", "O2.8", "O3.14", "O4.15", "O5.5"), ".");
        assertEquals(expected, CoverageTables.sentences(text(CoverageTables.FIELD_CASES)));
    }

    /** From the last number of each kind all numbers. */
    private static Set<String> numbered(Stream<String> last, String separator) {
        return last.flatMap(l -> {
                    int at = separator.isEmpty() ? 1 : l.indexOf(separator) + 1;
                    return IntStream.rangeClosed(1, Integer.parseInt(l.substring(at)))
                            .mapToObj(i -> l.substring(0, at) + i);
                })
                .collect(Collectors.toCollection(() -> new TreeSet<>(CoverageTables.ORDER)));
    }

    @ParameterizedTest
    @ValueSource(strings = {CoverageTables.SPECIFICATION, CoverageTables.FIELD_CASES})
    @DisplayName("each sentence has a test with its number, or is open with a reason, and the page says so")
    void covered(String page) {
        Map<String, Map<String, Set<String>>> tests = CoverageTables.tests(repository);
        Map<String, String> told = CoverageTables.told(text(page));
        List<String> wrong = new ArrayList<>();
        for (String number : CoverageTables.sentences(text(page))) {
            String row = told.getOrDefault(number, "");
            Set<String> names = tests.getOrDefault(number, Map.of()).values().stream()
                    .flatMap(Set::stream)
                    .collect(Collectors.toCollection(TreeSet::new));
            if (names.isEmpty() && !row.matches("open: .{10,}")) {
                wrong.add(number + ": no test's display name starts with it, and it is not open with a reason");
            } else if (!names.isEmpty() && row.startsWith(CoverageTables.OPEN)) {
                wrong.add(number + ": listed as open, but " + names + " cover it");
            } else if (!names.isEmpty() && !names.containsAll(named(row))) {
                wrong.add(number + ": the page says '" + row + "', the tests are " + names);
            }
        }
        assertEquals("", String.join("\n", wrong), page + ": write its table anew (docs/dev/build.md, Documentation)");
    }

    /** The classes that a row names, without their modules. */
    private static Set<String> named(String row) {
        return Arrays.stream(row.split("; "))
                .flatMap(m ->
                        Arrays.stream(m.substring(m.indexOf(": ") + 1).strip().split(", ")))
                .collect(Collectors.toSet());
    }

    private String text(String page) {
        return Repository.read(repository.root().resolve(page));
    }
}
