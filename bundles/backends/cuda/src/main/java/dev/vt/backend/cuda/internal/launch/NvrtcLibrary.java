package dev.vt.backend.cuda.internal.launch;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * NVRTC's library where it was found. Closing unloads it.
 *
 * @param path where it was found
 * @param symbols its functions
 * @param arena what keeps it loaded
 */
record NvrtcLibrary(String path, SymbolLookup symbols, Arena arena) {
    /** System property with the path of the library; with it no other place is looked at. */
    static final String PROPERTY = "vt.nvrtc.library";

    private static final List<String> SONAMES = List.of("libnvrtc.so.13", "libnvrtc.so.12");
    private static final List<String> FOLDERS = List.of("/usr/local/cuda/lib64", "/opt/cuda/lib64");
    /** Where Python packages may be, as patterns below a root. */
    private static final List<String> ROOTS = List.of("/usr/lib", "/usr/local/lib", "/opt/conda/lib");

    static Optional<NvrtcLibrary> find() {
        String named = System.getProperty(PROPERTY);
        if (named != null) {
            return open(named);
        }
        for (String candidate : candidates()) {
            Optional<NvrtcLibrary> found = open(candidate);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<NvrtcLibrary> open(String path) {
        Arena arena = Arena.ofShared();
        try {
            return Optional.of(new NvrtcLibrary(path, SymbolLookup.libraryLookup(path, arena), arena));
        } catch (IllegalArgumentException e) {
            arena.close();
            return Optional.empty();
        }
    }

    /** Sonames first, which the loader's own configuration decides on; then CUDA's folder, then Python's packages. */
    private static List<String> candidates() {
        List<String> all = new ArrayList<>(SONAMES);
        for (String folder : FOLDERS) {
            add(all, Path.of(folder));
        }
        for (String root : ROOTS) {
            for (Path python : matches(Path.of(root), "python3*")) {
                for (String packages : List.of("site-packages", "dist-packages")) {
                    for (Path part : matches(python.resolve(packages).resolve("nvidia"), "c*")) {
                        add(all, part.resolve("lib"));
                    }
                }
            }
        }
        return all;
    }

    private static void add(List<String> all, Path folder) {
        for (String name : SONAMES) {
            if (Files.exists(folder.resolve(name))) {
                all.add(folder.resolve(name).toString());
            }
        }
    }

    /** Sorted backwards, so that the newest comes first. */
    private static List<Path> matches(Path folder, String pattern) {
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, pattern)) {
                entries.forEach(found::add);
            } catch (IOException e) {
                // A folder that can't be listed holds nothing that could be loaded.
                return List.of();
            }
        }
        found.sort(java.util.Comparator.reverseOrder());
        return found;
    }
}
