package dev.vt.deploy.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * What tells one content of a file from the next without reading it.
 *
 * @param size length in bytes
 * @param modified time of the last change
 * @param key the file system's own identity of the file, where it has one: tells a file that was moved here from the old one
 */
record Stamp(long size, FileTime modified, @Nullable Object key) {
    static Stamp of(Path file) throws IOException {
        BasicFileAttributes a = Files.readAttributes(file, BasicFileAttributes.class);
        return new Stamp(a.size(), a.lastModifiedTime(), a.fileKey());
    }
}
