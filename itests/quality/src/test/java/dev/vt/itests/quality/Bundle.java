package dev.vt.itests.quality;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One bundle as the build left it; a bundle is a module below bundles/ or distribution/ with a module-info. Immutable. */
record Bundle(Path folder, ModuleDescriptor module) {
    static final Path ROOT =
            Path.of(System.getProperty("vt.root")).toAbsolutePath().normalize();

    /** All bundles, sorted by the name of their module. */
    static List<Bundle> all() throws IOException {
        try (Stream<Path> bundles = Files.walk(ROOT.resolve("bundles"), 3);
                Stream<Path> distribution = Files.walk(ROOT.resolve("distribution"), 2)) {
            return Stream.concat(bundles, distribution)
                    .filter(folder -> Files.exists(folder.resolve("src/main/java/module-info.java")))
                    .map(Bundle::read)
                    .sorted((a, b) -> a.name().compareTo(b.name()))
                    .toList();
        }
    }

    private static Bundle read(Path folder) {
        try (var in = Files.newInputStream(folder.resolve("target/classes/module-info.class"))) {
            return new Bundle(folder, ModuleDescriptor.read(in));
        } catch (IOException e) {
            throw new IllegalStateException(folder + " is not built: " + e.getMessage(), e);
        }
    }

    String name() {
        return module.name();
    }

    Path classes() {
        return folder.resolve("target/classes");
    }

    Path listing() {
        return folder.resolve("src/api/signatures.txt");
    }

    Path releasedListing() {
        return folder.resolve("src/api/released.txt");
    }

    /** The packages that every other module may use. */
    Set<String> exports() {
        return module.exports().stream()
                .filter(e -> !e.isQualified())
                .map(ModuleDescriptor.Exports::source)
                .collect(Collectors.toSet());
    }

    /** The manifest of the jar, of which there is exactly one. */
    Manifest manifest() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("target"))) {
            List<Path> jars = files.filter(f -> f.getFileName().toString().matches("vt-.*(?<!sources|javadoc)\\.jar"))
                    .toList();
            if (jars.size() != 1) {
                throw new IllegalStateException(folder + " has " + jars.size() + " jars: " + jars);
            }
            try (JarFile jar = new JarFile(jars.getFirst().toFile())) {
                return jar.getManifest();
            }
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
