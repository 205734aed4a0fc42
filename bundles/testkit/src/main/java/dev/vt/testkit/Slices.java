package dev.vt.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes a file piece by piece, as a slow copy does, each piece when the test asks for it. Never sleeps. One thread at a time; the
 * caller closes it.
 */
public final class Slices implements AutoCloseable {
    private final Path file;
    private final byte[] bytes;
    private final int count;
    private final FileChannel channel;
    private int written;

    private Slices(Path file, byte[] bytes, int count, boolean sparse) throws IOException {
        if (count < 1) {
            throw new IllegalArgumentException("expected 1 slice or more, given " + count);
        }
        this.file = file;
        this.bytes = bytes;
        this.count = count;
        channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        if (sparse && bytes.length > 0) {
            channel.write(ByteBuffer.allocate(1), bytes.length - 1L);
        }
    }

    /** The file grows with each piece. */
    static Slices growing(Path file, byte[] bytes, int count) throws IOException {
        return new Slices(file, bytes, count, false);
    }

    /** The file has its full length at once, full of zeros, and is then filled in. */
    static Slices sparse(Path file, byte[] bytes, int count) throws IOException {
        return new Slices(file, bytes, count, true);
    }

    public Path file() {
        return file;
    }

    /** Number of pieces that are still to be written. */
    public int remaining() {
        return count - written;
    }

    /** Writes the next piece; the last one completes the file. */
    public void next() throws IOException {
        if (remaining() == 0) {
            throw new IllegalStateException(file + ": all " + count + " slices are written");
        }
        int from = (int) ((long) bytes.length * written / count);
        written++;
        int to = (int) ((long) bytes.length * written / count);
        ByteBuffer piece = ByteBuffer.wrap(bytes, from, to - from);
        long at = from;
        while (piece.hasRemaining()) {
            at += channel.write(piece, at);
        }
        channel.force(true);
    }

    /** Writes what is left. */
    public void rest() throws IOException {
        while (remaining() > 0) {
            next();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
