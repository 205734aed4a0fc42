package dev.vt.backend.cuda;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A library of the CUDA toolkit where it was found on this machine. Whoever found it closes it, which unloads it: nothing of it may
 * run then. Any thread may call it.
 */
public final class CudaLibrary implements AutoCloseable {
    private static final List<String> FOLDERS = List.of("/usr/local/cuda/lib64", "/opt/cuda/lib64");
    /** Where Python packages may be, as patterns below a root. */
    private static final List<String> ROOTS = List.of("/usr/lib", "/usr/local/lib", "/opt/conda/lib");

    private final String path;
    private final Arena arena;
    private final SymbolLookup symbols;

    private CudaLibrary(String path, Arena arena, SymbolLookup symbols) {
        this.path = path;
        this.arena = arena;
        this.symbols = symbols;
    }

    /**
     * Loads the first that is there: what a system property names, and then nothing else is looked at; else a name that the
     * system's loader knows; else a file in CUDA's usual folders, or among the packages of Python.
     *
     * @param property the system property
     * @param names names of the library's file, the best first
     */
    public static Optional<CudaLibrary> find(String property, List<String> names) {
        String named = System.getProperty(property);
        if (named != null) {
            return open(named);
        }
        for (String candidate : candidates(names)) {
            Optional<CudaLibrary> found = open(candidate);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<CudaLibrary> open(String path) {
        Arena arena = Arena.ofShared();
        try {
            return Optional.of(new CudaLibrary(path, arena, SymbolLookup.libraryLookup(path, arena)));
        } catch (IllegalArgumentException e) {
            arena.close();
            return Optional.empty();
        }
    }

    private static List<String> candidates(List<String> names) {
        List<String> all = new ArrayList<>(names);
        for (String folder : FOLDERS) {
            add(all, Path.of(folder), names);
        }
        for (String root : ROOTS) {
            for (Path python : matches(Path.of(root), "python3*")) {
                for (String packages : List.of("site-packages", "dist-packages")) {
                    for (Path part : matches(python.resolve(packages).resolve("nvidia"), "c*")) {
                        add(all, part.resolve("lib"), names);
                    }
                }
            }
        }
        return all;
    }

    private static void add(List<String> all, Path folder, List<String> names) {
        for (String name : names) {
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
        found.sort(Comparator.reverseOrder());
        return found;
    }

    /** The path or name that it was loaded by. */
    public String path() {
        return path;
    }

    /** A function of it; empty where it has none of the name. */
    public Optional<MemorySegment> function(String name) {
        return symbols.find(name);
    }

    /** Unloads it. */
    @Override
    public void close() {
        arena.close();
    }
}
