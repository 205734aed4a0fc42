package dev.vt.deploy.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** Bundles without code, made in memory. */
final class Jars {
    private Jars() {}

    /** Header values follow their names. */
    static byte[] bundle(String symbolicName, String version, String... headers) throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Bundle-ManifestVersion", "2");
        main.putValue("Bundle-SymbolicName", symbolicName);
        main.putValue("Bundle-Version", version);
        for (int i = 0; i < headers.length; i += 2) {
            main.putValue(headers[i], headers[i + 1]);
        }
        return jar(manifest);
    }

    /** A jar that is no bundle. */
    static byte[] plain() throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        return jar(manifest);
    }

    private static byte[] jar(Manifest manifest) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream out = new JarOutputStream(bytes, manifest)) {
            // Bytes that don't shrink, so that slices of the file cut through them.
            byte[] load = new byte[20_000];
            new Random(7).nextBytes(load);
            out.putNextEntry(new ZipEntry("load.bin"));
            out.write(load);
        }
        return bytes.toByteArray();
    }
}
