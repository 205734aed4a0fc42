package dev.vt.registry.internal;

import java.util.Comparator;

/**
 * Where a service comes from. Decides between two of one name: the higher version wins, then the smaller symbolic name, then the
 * smaller location, then the smaller component name.
 *
 * @param bundle symbolic name of the bundle, or name of the module
 * @param version version of it
 * @param location where it was installed from, or the archive on a class path; empty for a module
 * @param component name of the component or class
 */
public record Origin(String bundle, String version, String location, String component) implements Comparable<Origin> {
    private static final Comparator<Origin> ORDER = Comparator.comparing(Origin::parsedVersion)
            .reversed()
            .thenComparing(Origin::bundle, Names.UTF8_ORDER)
            .thenComparing(Origin::location, Names.UTF8_ORDER)
            .thenComparing(Origin::component, Names.UTF8_ORDER);

    /** The winner first. */
    @Override
    public int compareTo(Origin other) {
        return ORDER.compare(this, other);
    }

    /** Says whether two services come from one bundle, module or archive. */
    boolean sameSource(Origin other) {
        return location.equals(other.location) && (!location.isEmpty() || bundle.equals(other.bundle));
    }

    private ParsedVersion parsedVersion() {
        return ParsedVersion.of(version);
    }

    @Override
    public String toString() {
        return bundle + " " + version;
    }

    /** An OSGi version without OSGi: three numbers and a qualifier. What is no number counts as 0. */
    private record ParsedVersion(long major, long minor, long micro, String qualifier)
            implements Comparable<ParsedVersion> {
        private static final Comparator<ParsedVersion> ORDER = Comparator.comparingLong(ParsedVersion::major)
                .thenComparingLong(ParsedVersion::minor)
                .thenComparingLong(ParsedVersion::micro)
                .thenComparing(ParsedVersion::qualifier, Names.UTF8_ORDER);

        static ParsedVersion of(String text) {
            String[] parts = text.split("[.-]", 4);
            return new ParsedVersion(
                    number(parts, 0), number(parts, 1), number(parts, 2), parts.length > 3 ? parts[3] : "");
        }

        private static long number(String[] parts, int i) {
            return i < parts.length && parts[i].matches("[0-9]{1,18}") ? Long.parseLong(parts[i]) : 0;
        }

        @Override
        public int compareTo(ParsedVersion other) {
            return ORDER.compare(this, other);
        }
    }
}
