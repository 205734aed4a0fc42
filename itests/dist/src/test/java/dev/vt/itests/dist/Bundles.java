package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Makes bundles that are no providers, and new versions of bundles that exist. No state, any thread. */
final class Bundles {
    private Bundles() {}

    /** The same bundle with another version. */
    static void withVersion(Path bundle, String version, Path to) throws IOException {
        try (JarFile jar = new JarFile(bundle.toFile())) {
            Manifest manifest = new Manifest(jar.getManifest());
            manifest.getMainAttributes().putValue("Bundle-Version", version);
            Map<String, byte[]> entries = new LinkedHashMap<>();
            for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
                JarEntry entry = all.nextElement();
                if (!entry.isDirectory() && !entry.getName().equals(JarFile.MANIFEST_NAME)) {
                    entries.put(entry.getName(), jar.getInputStream(entry).readAllBytes());
                }
            }
            write(manifest, entries, to);
        }
    }

    /** A bundle with these headers and files. */
    static void write(Map<String, String> headers, Map<String, byte[]> entries, Path to) throws IOException {
        StringBuilder lines = new StringBuilder("Manifest-Version: 1.0\nBundle-ManifestVersion: 2\n");
        headers.forEach(
                (name, value) -> lines.append(name).append(": ").append(value).append('\n'));
        write(new Manifest(new ByteArrayInputStream(lines.toString().getBytes(StandardCharsets.UTF_8))), entries, to);
    }

    private static void write(Manifest manifest, Map<String, byte[]> entries, Path to) throws IOException {
        try (OutputStream out = Files.newOutputStream(to);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey()));
                jar.write(entry.getValue());
                jar.closeEntry();
            }
        }
    }

    /** Compiles one class into a folder. */
    static void compile(String className, String source, Path classes) throws IOException {
        Path file = classes.resolve(className.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> arguments = List.of("-proc:none", "-d", classes.toString(), file.toString());
        assertTrue(
                compiler.run(null, null, null, arguments.toArray(String[]::new)) == 0,
                () -> className + " does not compile");
    }
}
