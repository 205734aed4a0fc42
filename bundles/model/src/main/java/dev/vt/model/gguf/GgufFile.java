package dev.vt.model.gguf;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

/**
 * A GGUF file (version 2 or 3, little-endian), mapped into memory. Opening it checks everything but the tensors'
 * elements; a file that breaks the format is refused as a whole with a {@link VtException} of code {@link
 * ErrorCode#FORMAT}. Who opens it closes it; closing unmaps the bytes, so no tensor's data may be in use by then. Any
 * thread may use it. It never writes to the file, and the file must not be shortened by others while it is open.
 */
public final class GgufFile implements AutoCloseable {
    private final Path path;
    private final Arena arena;
    private final GgufParser.Parsed parsed;

    private GgufFile(Path path, Arena arena, GgufParser.Parsed parsed) {
        this.path = path;
        this.arena = arena;
        this.parsed = parsed;
    }

    /** Maps and checks a file. */
    public static GgufFile open(Path path) {
        if (!Files.exists(path)) {
            throw VtException.notFound(path + ": expected a GGUF file, given no such file");
        }
        if (!Files.isRegularFile(path)) {
            throw VtException.invalidArgument(
                    path + ": expected a GGUF file, given something that is not a regular file");
        }
        Arena arena = Arena.ofShared();
        try {
            return new GgufFile(path, arena, new GgufParser(map(path, arena), path.toString()).parse());
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private static MemorySegment map(Path path, Arena arena) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        } catch (IOException e) {
            throw new VtException(ErrorCode.INVALID_ARGUMENT, path + ": can't be read: " + e, e);
        }
    }

    public Path path() {
        return path;
    }

    /** The format's version, 2 or 3. */
    public int version() {
        return parsed.version();
    }

    public GgufMetadata metadata() {
        return parsed.metadata();
    }

    /** All tensors in the file's order. */
    public Collection<GgufTensor> tensors() {
        return Collections.unmodifiableCollection(byName().values());
    }

    /** A tensor that the file must have. */
    public GgufTensor tensor(String name) {
        return findTensor(name)
                .orElseThrow(() -> new VtException(
                        ErrorCode.FORMAT,
                        path + ": tensor '" + name + "': expected in the file, given no such tensor"));
    }

    public Optional<GgufTensor> findTensor(String name) {
        return Optional.ofNullable(byName().get(name));
    }

    /** Unmaps the file; a second call does nothing. */
    @Override
    public synchronized void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private Map<String, GgufTensor> byName() {
        if (!arena.scope().isAlive()) {
            throw VtException.closed(path + ": the file was closed");
        }
        return parsed.tensors();
    }
}
