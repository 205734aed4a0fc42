package dev.vt.itests.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The files of this checkout, without what builds make. Found from the working folder upwards. Immutable, any thread. */
final class Repository {
    private static final Set<String> LEFT_OUT =
            Set.of("target", ".git", ".m2", ".idea", ".vscode", ".settings", "node_modules");

    private final Path root;
    private final List<Path> files;

    private Repository(Path root) {
        this.root = root;
        this.files = walk(root);
    }

    static Repository find() {
        for (Path p = Path.of("").toAbsolutePath(); p != null; p = p.getParent()) {
            if (Files.isDirectory(p.resolve("bundles/api")) && Files.isRegularFile(p.resolve("vt"))) {
                return new Repository(p);
            }
        }
        throw new IllegalStateException("the working folder is not inside a checkout of vt");
    }

    Path root() {
        return root;
    }

    /** A file's path from the root, with slashes. */
    String name(Path file) {
        return root.relativize(file).toString().replace('\\', '/');
    }

    /** All files whose path from the root fits, sorted. */
    List<Path> files(Predicate<String> fits) {
        return files.stream().filter(f -> fits.test(name(f))).toList();
    }

    /** The pages that are checked. */
    List<Page> pages() {
        return files(n -> n.endsWith(".md")).stream().map(Page::read).toList();
    }

    Page page(String name) {
        return Page.read(root.resolve(name));
    }

    /** The text of everything that gives names their meaning: main sources, scripts, configuration, POMs. */
    String code() {
        return text(n ->
                n.contains("/src/main/") && (n.endsWith(".java") || n.contains("/dist/") || n.contains("/features/"))
                        || n.endsWith("pom.xml")
                        || n.equals("vt")
                        || n.equals("itests/bench/run"));
    }

    String text(Predicate<String> fits) {
        return files(fits).stream().map(Repository::read).collect(Collectors.joining("\n"));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> walk(Path root) {
        List<Path> out = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return LEFT_OUT.contains(folder.getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    out.add(file);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.sort(null);
        return List.copyOf(out);
    }
}
