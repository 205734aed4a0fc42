package dev.vt.deploy.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Constants;
import org.osgi.framework.Version;

/**
 * Makes the private copy of a file and finds out whether it is a whole bundle. The file in the deploy folder is read once and
 * never kept open, so it may be overwritten at any time. Owned by the deployer and used on its thread.
 */
final class Stager {
    /** What became of a file. */
    sealed interface Result {
        /** A bundle, ready to be installed. */
        record Whole(Staged staged) implements Result {}

        /** Not complete so far; to be tried again. */
        record Partial(String reason) implements Result {}

        /** Complete, but no bundle; not to be tried before it changes. */
        record NoBundle(String reason) implements Result {}
    }

    /** Set by bundles with native libraries: a library belongs to one class loader, so the bundle can't be replaced. */
    private static final String RESTART_NEEDED = "Vt-Restart-Needed";

    private static final byte[] ZIP_START = {'P', 'K', 3, 4};

    private final Path staging;
    private long copies;

    Stager(Path staging) {
        this.staging = staging;
    }

    Result stage(Path file, Stamp stamp) throws IOException {
        Files.createDirectories(staging);
        Path copy = staging.resolve(++copies + ".jar");
        Result result = new Result.Partial("it is still being written");
        try {
            String digest = copy(file, copy);
            // A file that changed while it was read may be a mixture of two.
            if (Stamp.of(file).equals(stamp)) {
                result = examine(file.getFileName().toString(), copy, digest);
            }
        } catch (NoSuchFileException e) {
            result = new Result.Partial("it went away while it was read");
        } finally {
            if (!(result instanceof Result.Whole)) {
                Files.deleteIfExists(copy);
            }
        }
        return result;
    }

    private static String copy(Path file, Path copy) throws IOException {
        MessageDigest sha256 = sha256();
        try (InputStream in = Files.newInputStream(file);
                OutputStream out = new DigestOutputStream(Files.newOutputStream(copy), sha256)) {
            in.transferTo(out);
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static Result examine(String name, Path copy, String digest) throws IOException {
        if (!startsLikeZip(copy)) {
            return new Result.NoBundle("it is not a zip file");
        }
        Manifest manifest = null;
        try (ZipFile zip = new ZipFile(copy.toFile())) {
            for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
                ZipEntry entry = all.nextElement();
                if (!intact(zip, entry)) {
                    return new Result.Partial("its entry " + entry.getName() + " is not complete");
                }
                if (entry.getName().equals("META-INF/MANIFEST.MF")) {
                    manifest = manifest(zip, entry);
                }
            }
        } catch (IOException e) {
            return new Result.Partial("it is not a complete jar (" + e.getMessage() + ")");
        }
        return bundle(name, copy, digest, manifest == null ? new Attributes() : manifest.getMainAttributes());
    }

    /** An empty file and one that starts with a zero byte are files of which nothing has been written yet. */
    private static boolean startsLikeZip(Path copy) throws IOException {
        try (InputStream in = Files.newInputStream(copy)) {
            byte[] start = in.readNBytes(ZIP_START.length);
            for (int i = 0; i < start.length; i++) {
                if (start[i] != ZIP_START[i] && start[i] != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Reads the entry's bytes: a table of contents at the end alone does not say that what it lists has arrived. */
    private static boolean intact(ZipFile zip, ZipEntry entry) throws IOException {
        CRC32 crc = new CRC32();
        byte[] buffer = new byte[1 << 16];
        long size = 0;
        try (InputStream in = zip.getInputStream(entry)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                crc.update(buffer, 0, n);
                size += n;
            }
        }
        return size == entry.getSize() && crc.getValue() == entry.getCrc();
    }

    private static @Nullable Manifest manifest(ZipFile zip, ZipEntry entry) throws IOException {
        try (InputStream in = zip.getInputStream(entry)) {
            return new Manifest(in);
        }
    }

    /** Says whether a bundle with these headers can't be replaced while the process runs. */
    static boolean natives(UnaryOperator<@Nullable String> header) {
        return Boolean.parseBoolean(header.apply(RESTART_NEEDED)) || header.apply(Constants.BUNDLE_NATIVECODE) != null;
    }

    private static Result bundle(String name, Path copy, String digest, Attributes manifest) {
        String symbolicName = manifest.getValue(Constants.BUNDLE_SYMBOLICNAME);
        if (symbolicName == null || symbolicName.isBlank()) {
            return new Result.NoBundle("it is no OSGi bundle: its manifest has no Bundle-SymbolicName");
        }
        String version = manifest.getValue(Constants.BUNDLE_VERSION);
        try {
            return new Result.Whole(new Staged(
                    name,
                    copy,
                    digest,
                    symbolicName.split(";", 2)[0].strip(),
                    Version.parseVersion(version),
                    natives(manifest::getValue)));
        } catch (IllegalArgumentException e) {
            return new Result.NoBundle("its Bundle-Version '" + version + "' is not a version");
        }
    }
}
