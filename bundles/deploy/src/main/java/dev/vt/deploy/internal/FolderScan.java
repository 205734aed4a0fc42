package dev.vt.deploy.internal;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Looks at the jars of the deploy folder and tells which of them have settled: the same size and time as one look before. The
 * first look takes every file as settled, for whoever starts vt has put them there before. Owned by the deployer and used on
 * its thread; it never opens a file.
 */
final class FolderScan {
    /**
     * One look.
     *
     * @param present every jar, by name
     * @param settled those of them that did not change since the look before
     */
    record Look(SortedMap<String, Stamp> present, SortedMap<String, Stamp> settled) {}

    private final Path folder;
    private SortedMap<String, Stamp> before = new TreeMap<>();
    private boolean first = true;

    FolderScan(Path folder) {
        this.folder = folder;
    }

    /** Looks once; fails when the folder can't be read, which is no sign that its files are gone. */
    Look look() throws IOException {
        SortedMap<String, Stamp> now = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, FolderScan::isJar)) {
            for (Path file : files) {
                stamp(file, now);
            }
        }
        SortedMap<String, Stamp> settled = new TreeMap<>(now);
        if (!first) {
            settled.entrySet().removeIf(e -> !e.getValue().equals(before.get(e.getKey())));
        }
        before = now;
        first = false;
        return new Look(now, settled);
    }

    private static void stamp(Path file, SortedMap<String, Stamp> to) throws IOException {
        try {
            to.put(file.getFileName().toString(), Stamp.of(file));
        } catch (NoSuchFileException e) {
            // Deleted since it was listed: not present.
            to.remove(file.getFileName().toString());
        }
    }

    /** Hidden names are what copying tools call their unfinished files. */
    private static boolean isJar(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".jar") && !name.startsWith(".") && !Files.isDirectory(file);
    }
}
