package dev.vt.backend.cuda.internal.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Compiled kernels on disk, by the hash of all that they were made from. Several processes may share the folder: a file
 * appears whole or not at all. Where the folder can't be used, kernels are compiled in each process. Any thread may call it.
 */
final class CubinCache {
    /** System property with the folder. */
    static final String PROPERTY = "vt.cuda.cache";

    private static final System.Logger LOG = System.getLogger("dev.vt.backend.cuda");

    private final Path folder;
    private final AtomicBoolean warned = new AtomicBoolean();

    CubinCache(Path folder) {
        this.folder = folder;
    }

    /** The user's own cache, unless the property names another folder. */
    static CubinCache ofUser() {
        String named = System.getProperty(PROPERTY);
        if (named != null) {
            return new CubinCache(Path.of(named));
        }
        String caches = System.getenv("XDG_CACHE_HOME");
        Path base = caches == null || caches.isBlank()
                ? Path.of(System.getProperty("user.home", "."), ".cache")
                : Path.of(caches);
        return new CubinCache(base.resolve("vt").resolve("cuda"));
    }

    /** The name under which the result of a compilation is kept. */
    static String key(String source, String compiler, String target) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((compiler + '\0' + target + '\0' + source).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    Optional<byte[]> get(String key) {
        Path file = file(key);
        try {
            return Files.isRegularFile(file) ? Optional.of(Files.readAllBytes(file)) : Optional.empty();
        } catch (IOException e) {
            warn(e);
            return Optional.empty();
        }
    }

    void put(String key, byte[] image) {
        try {
            Files.createDirectories(folder);
            Path part = Files.createTempFile(folder, key, ".part");
            try {
                Files.write(part, image);
                move(part, file(key));
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException e) {
            warn(e);
        }
    }

    private static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    void remove(String key) {
        try {
            Files.deleteIfExists(file(key));
        } catch (IOException e) {
            warn(e);
        }
    }

    private Path file(String key) {
        return folder.resolve(key + ".cubin");
    }

    private void warn(IOException e) {
        if (warned.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "compiled kernels are not kept in {0}: {1}; {2} names another folder",
                    folder,
                    e,
                    PROPERTY);
        }
    }
}
