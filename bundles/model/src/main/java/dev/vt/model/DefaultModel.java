package dev.vt.model;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The small model inside this bundle. A file inside a jar can't be mapped into memory, so it is copied out once and
 * checked each time it is asked for. Several processes may do so at the same moment: each writes a file of its own and
 * renames it. Stateless; any thread may use it. It never deletes a copy.
 */
public final class DefaultModel {
    private static final String RESOURCE = "tales-Q8_0.gguf";
    private static final String SHA256 = "3b137e14ed9e9080cddff5055abf3dafa7b348b120ade9f08df017151d9970da";
    private static final int BUFFER_BYTES = 1 << 16;

    private DefaultModel() {}

    /** The model's file in a directory of the user's own below {@code java.io.tmpdir}. */
    public static Path path() {
        Path directory = Path.of(
                System.getProperty("java.io.tmpdir"),
                "vt-" + System.getProperty("user.name").replaceAll("\\W", "_"));
        try {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(directory, ownerOnly());
            }
            requireOwn(directory);
        } catch (IOException e) {
            throw failed(directory, e);
        }
        return path(directory);
    }

    /** The model's file in a directory, which is made if need be and which only trusted users may write to. */
    public static Path path(Path directory) {
        // The name tells versions apart, so that two installations can share a directory.
        Path file = directory.resolve("tales-Q8_0-" + SHA256.substring(0, 12) + ".gguf");
        try {
            if (!SHA256.equals(digest(file))) {
                Files.createDirectories(directory);
                copyTo(file);
            }
            return file;
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    private static void copyTo(Path file) throws IOException {
        Path part = Files.createTempFile(file.toAbsolutePath().getParent(), "tales", ".part");
        try (InputStream in = DefaultModel.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new NoSuchFileException(RESOURCE, null, "missing in the bundle");
            }
            Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
            String digest = digest(part);
            if (!SHA256.equals(digest)) {
                throw new IOException("expected SHA-256 " + SHA256 + " of the copy, given " + digest);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** The hexadecimal SHA-256 of a file; empty if there is no such file. */
    private static String digest(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return "";
        }
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("every Java has SHA-256", e);
        }
    }

    /**
     * The temporary directory is open to all: a directory that another user planted there could change under our feet.
     */
    private static void requireOwn(Path directory) throws IOException {
        Path probe = Files.createTempFile(directory, "owner", ".tmp");
        try {
            if (!Files.getOwner(probe).equals(Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS))) {
                throw new IOException("expected a directory of this user, given one of " + Files.getOwner(directory));
            }
        } finally {
            Files.delete(probe);
        }
    }

    private static FileAttribute<?>[] ownerOnly() {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
    }

    private static VtException failed(Path where, IOException e) {
        return new VtException(
                ErrorCode.CONFIGURATION,
                "default model: can't be unpacked to " + where + ": " + e
                        + "; name another directory or another model file",
                e);
    }
}
