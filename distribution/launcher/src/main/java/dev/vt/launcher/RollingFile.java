package dev.vt.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that records are appended to; above the limit it becomes {@code name.1}, that one {@code name.2}, and so on. Several
 * processes may share it: a record is one append, and a process that finds the file rolled away by another one goes on in the
 * new one. Any thread may append.
 */
final class RollingFile implements AutoCloseable {
    private final Path file;
    private final long limit;
    private final int kept;
    private FileChannel channel;

    RollingFile(Path file, long limit, int kept) throws IOException {
        this.file = file;
        this.limit = limit;
        this.kept = kept;
        this.channel = open();
    }

    synchronized void append(String record) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(record.getBytes(StandardCharsets.UTF_8));
        if (channel.size() > 0 && channel.size() + bytes.remaining() > limit) {
            roll(bytes.remaining());
        }
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Under a lock between processes; whoever comes second finds a small file and only opens it. */
    private void roll(int more) throws IOException {
        channel.close();
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        try (FileChannel guard = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = guard.lock()) {
            if (held.isValid() && Files.exists(file) && Files.size(file) + more > limit) {
                for (int i = kept; i > 0; i--) {
                    Path from = i == 1 ? file : numbered(i - 1);
                    if (Files.exists(from)) {
                        Files.move(from, numbered(i), StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
            channel = open();
        }
    }

    private Path numbered(int i) {
        return file.resolveSibling(file.getFileName() + "." + i);
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public synchronized void close() throws IOException {
        channel.close();
    }
}
