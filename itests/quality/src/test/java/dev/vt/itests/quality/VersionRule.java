package dev.vt.itests.quality;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which version a package needs after what was changed since its last release: something gone or changed asks for a new major
 * version, something added for a new minor one. What is added and abstract asks for a major one in a type that others implement.
 * Of a package at 0.x, a new minor version is enough for everything.
 */
final class VersionRule {
    private enum Step {
        NONE,
        MINOR,
        MAJOR
    }

    private VersionRule() {}

    /** One sentence for each package whose version doesn't say what was changed. */
    static List<String> faults(SortedMap<String, Signatures> released, SortedMap<String, Signatures> now) {
        List<String> faults = new ArrayList<>();
        for (Map.Entry<String, Signatures> each : released.entrySet()) {
            Signatures present = now.get(each.getKey());
            if (present != null) {
                fault(each.getValue(), present).ifPresent(faults::add);
            }
        }
        return faults;
    }

    private static Optional<String> fault(Signatures released, Signatures present) {
        TreeSet<String> gone = new TreeSet<>(released.lines());
        gone.removeAll(present.lines());
        TreeSet<String> added = new TreeSet<>(present.lines());
        added.removeAll(released.lines());
        int[] from = numbers(released.version());
        int[] to = numbers(present.version());
        Step needed = needed(gone, added, present);
        if (from[0] == 0 && needed == Step.MAJOR) {
            needed = Step.MINOR;
        }
        if (made(from, to).compareTo(needed) >= 0) {
            return Optional.empty();
        }
        String changes = String.join(
                "\n",
                Stream.concat(gone.stream().map("  - "::concat), added.stream().map("  + "::concat))
                        .toList());
        return Optional.of("%s is released as %s, and what was changed needs a new %s version in its package-info:%n%s"
                .formatted(
                        released.packageName(),
                        released.version(),
                        needed.name().toLowerCase(Locale.ROOT),
                        changes));
    }

    private static Step needed(TreeSet<String> gone, TreeSet<String> added, Signatures present) {
        if (!gone.isEmpty()) {
            return Step.MAJOR;
        }
        if (added.isEmpty()) {
            return Step.NONE;
        }
        boolean implementersBreak = added.stream()
                .anyMatch(line -> line.matches("[^ ]+\\(.*\\) : .*\\babstract .*")
                        && implemented(
                                line.substring(0, line.lastIndexOf('.', line.indexOf('('))), released(present, added)));
        return implementersBreak ? Step.MAJOR : Step.MINOR;
    }

    /** The lines that were there before. */
    private static List<String> released(Signatures present, TreeSet<String> added) {
        return present.lines().stream().filter(line -> !added.contains(line)).toList();
    }

    private static boolean implemented(String type, List<String> released) {
        return released.stream().anyMatch(line -> line.startsWith(type + " = ") && line.contains("@ConsumerType "));
    }

    private static Step made(int[] from, int[] to) {
        if (to[0] != from[0]) {
            return to[0] > from[0] ? Step.MAJOR : Step.NONE;
        }
        return to[1] > from[1] ? Step.MINOR : Step.NONE;
    }

    private static int[] numbers(String version) {
        return Stream.of(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }
}
