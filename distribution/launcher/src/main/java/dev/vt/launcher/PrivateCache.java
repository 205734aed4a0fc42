package dev.vt.launcher;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A folder for this process alone, so that any number of processes run from one installation. It lies in {@code cache/} of the
 * installation or, where that can't be written, in the system's temporary folder. The launcher owns it and deletes it at the
 * end; what a killed process left behind is found by its free lock and deleted by the next start.
 */
final class PrivateCache implements AutoCloseable {
    private static final String PREFIX = "vt-";
    private static final String LOCK = "lock";

    private final Path folder;
    private final FileChannel lock;

    private PrivateCache(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    static PrivateCache open(Path home) throws IOException {
        Path parent = home.resolve("cache");
        if (!Folders.writable(parent)) {
            parent = Path.of(System.getProperty("java.io.tmpdir"));
        }
        Path folder = Files.createTempDirectory(parent, PREFIX);
        FileChannel lock = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lock.lock();
        deleteAbandoned(parent, folder);
        return new PrivateCache(folder, lock);
    }

    Path folder() {
        return folder;
    }

    private static void deleteAbandoned(Path parent, Path own) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path other : all) {
                if (!other.equals(own) && abandoned(other)) {
                    deleteQuietly(other);
                }
            }
        }
    }

    /** A folder without a lock file may be one that is being made right now, so it stays. */
    private static boolean abandoned(Path folder) {
        try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE);
                FileLock free = channel.tryLock()) {
            return free != null;
        } catch (NoSuchFileException | OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    private static void deleteQuietly(Path folder) {
        try {
            Folders.delete(folder);
        } catch (IOException e) {
            System.getLogger("dev.vt.launcher").log(System.Logger.Level.DEBUG, "left in place: " + folder, e);
        }
    }

    @Override
    public void close() throws IOException {
        Folders.delete(folder);
        lock.close();
    }
}
