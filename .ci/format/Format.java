import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks (or rewrites) the format of every .java file under the given folders: {@code java Format.java check|apply
 * DIR...}. palantir-java-format: 4 spaces, 120 columns, imports sorted, unused ones removed. Exit code 1 on a finding.
 */
final class Format {
    private static final Set<String> SKIP = Set.of("target", ".git", "node_modules");
    private static final Pattern WILDCARD = Pattern.compile("(?m)^import\\s+(static\\s+)?[\\w.]+\\.\\*\\s*;");

    private Format() {}

    public static void main(String[] args) throws IOException {
        boolean apply = switch (args[0]) {
            case "check" -> false;
            case "apply" -> true;
            default -> throw new IllegalArgumentException("mode " + args[0] + ": check or apply");
        };
        List<Path> files = new ArrayList<>();
        for (String dir : List.of(args).subList(1, args.length)) {
            Files.walkFileTree(Path.of(dir).normalize(), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path d, BasicFileAttributes a) {
                    Path name = d.getFileName();
                    return name != null && SKIP.contains(name.toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path f, BasicFileAttributes a) {
                    if (f.toString().endsWith(".java")) {
                        files.add(f);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        JavaFormatterOptions options = JavaFormatterOptions.builder()
                .style(JavaFormatterOptions.Style.PALANTIR)
                .build();
        List<String> findings = files.parallelStream()
                .map(f -> one(f, options, apply))
                .filter(Objects::nonNull)
                .sorted()
                .toList();
        findings.forEach(System.out::println);
        System.out.printf("format: %d files, %d findings%n", files.size(), findings.size());
        if (!findings.isEmpty()) {
            System.out.println("to rewrite: mvn -q -pl .ci/format process-sources -Dvt.format=apply");
            System.exit(1);
        }
    }

    /** One file's finding, or null. */
    private static String one(Path file, JavaFormatterOptions options, boolean apply) {
        try {
            String old = Files.readString(file);
            var wildcard = WILDCARD.matcher(old);
            if (wildcard.find()) {
                return file + ":" + line(old, wildcard.start()) + ": wildcard import";
            }
            String now = stable(old, options);
            if (now.equals(old)) {
                return null;
            }
            if (apply) {
                Files.writeString(file, now);
                return null;
            }
            int at = 0;
            while (at < Math.min(old.length(), now.length()) && old.charAt(at) == now.charAt(at)) {
                at++;
            }
            return file + ":" + line(old, at) + ": not formatted";
        } catch (FormatterException e) {
            return file + ":" + e.getMessage()
                    + " (not parsed; in a record pattern write 'var _' for '_', and don't use 'import module')";
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }

    /** One pass may leave a line that the next one would break anew. */
    private static String stable(String source, JavaFormatterOptions options) throws FormatterException {
        String before = source;
        String after = Formatter.createFormatter(options).formatSourceAndFixImports(before);
        for (int pass = 1; pass < 4 && !after.equals(before); pass++) {
            before = after;
            after = Formatter.createFormatter(options).formatSourceAndFixImports(before);
        }
        return after;
    }

    private static int line(String text, int at) {
        return 1 + (int) text.substring(0, at).chars().filter(c -> c == '\n').count();
    }
}
