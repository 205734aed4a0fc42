package dev.vt.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The jars of {@code system/NN} and {@code system/NN-interactive}: NN is the start level, the second kind is only for a
 * person at a terminal. They are read where they lie, never copied.
 */
final class SystemBundles {
    /** One jar and the start level of its folder. */
    record Jar(Path file, int level) {}

    private static final Pattern FOLDER = Pattern.compile("([0-9]{2})(-interactive)?");

    private SystemBundles() {}

    /** Sorted by level, then by file name. */
    static List<Jar> list(Path system, boolean interactive) throws IOException {
        List<Jar> all = new ArrayList<>();
        for (Path folder : sorted(system)) {
            Matcher name = FOLDER.matcher(folder.getFileName().toString());
            if (!name.matches() || (name.group(2) != null && !interactive)) {
                continue;
            }
            int level = Integer.parseInt(name.group(1));
            for (Path file : sorted(folder)) {
                if (file.toString().endsWith(".jar")) {
                    all.add(new Jar(file, level));
                }
            }
        }
        if (all.isEmpty()) {
            throw new IOException("no bundles in " + system + "; the installation is incomplete");
        }
        return all;
    }

    private static List<Path> sorted(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }
}
