package dev.vt.itests.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What pages name has to be there: commands, flags, variables, properties, settings, ops, classes, files, links. */
class DocsTest {
    private static final Pattern COMMAND = Pattern.compile("\\bvt:([a-z][a-z-]*)");
    private static final Pattern FLAG = Pattern.compile("(?<![\\w-])(--?[a-z][a-z0-9-]*)");
    private static final Pattern VARIABLE = Pattern.compile("\\bVT_[A-Z_]+\\b");
    private static final Pattern PROPERTY = Pattern.compile("\\b((?:vt|ds|felix|gosh)(?:\\.[a-zA-Z][a-zA-Z0-9]*)+)\\b");
    private static final Pattern DOTTED = Pattern.compile("\\bdev\\.vt(?:\\.[a-z][a-z0-9]*)*(?:\\.[A-Z]\\w*)?");
    private static final Pattern CLASS =
            Pattern.compile("(?<![\\w.@<-])([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)(?![A-Za-z])(?:\\.([a-z]\\w*)\\()?");
    private static final Pattern OP_OF_COMMAND = Pattern.compile("vt:(?:why|bench) (?!op\\b)([a-z][a-z0-9_]+)");
    private static final Pattern FILE = Pattern.compile("(?:bundles|distribution|docs|features|itests)/[\\w./-]*");
    /** Classes that pages may name without being ours. */
    private static final List<String> PACKAGES = List.of(
            "java.lang",
            "java.lang.invoke",
            "java.lang.foreign",
            "java.lang.reflect",
            "java.util",
            "java.util.function",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks");

    private static final Set<String> PRODUCTS =
            Set.of("GitHub", "ServiceTracker", "SwitchPoint", "PyTorch", "SentencePiece", "JaCoCo", "NullAway");

    private final Repository repository = Repository.find();
    private final ShellSource shell = new ShellSource(repository);
    private final String code = repository.code();

    @Test
    @DisplayName("the shell's commands are read as its components publish them")
    void shellIsUnderstood() {
        assertEquals(shell.published(), shell.flags().keySet());
        assertFalse(shell.published().isEmpty());
    }

    @Test
    @DisplayName("every command that a page names exists")
    void commands() {
        check(COMMAND, (m, wrong) -> {
            if (!shell.flags().containsKey(m.group(1))) {
                wrong.add(m.group());
            }
        });
    }

    @Test
    @DisplayName("every flag behind a command belongs to it")
    void flags() {
        check(Pattern.compile("\\bvt:([a-z][a-z-]*)((?:(?!vt:)[^;\"#])*)"), (m, wrong) -> {
            Set<String> own = shell.flags().getOrDefault(m.group(1), Set.of());
            FLAG.matcher(m.group(2))
                    .results()
                    .map(f -> f.group(1))
                    .filter(f -> !own.contains(f))
                    .forEach(f -> wrong.add(m.group() + ": " + f));
        });
    }

    @Test
    @DisplayName("every other flag between backticks is one of a command, the launcher, a script or the build")
    void otherFlags() {
        Set<String> known = shell.flags().values().stream().flatMap(Set::stream).collect(Collectors.toSet());
        eachSpan((span, wrong) -> {
            if (span.startsWith("-") && !span.contains("vt:")) {
                FLAG.matcher(span)
                        .results()
                        .map(MatchResult::group)
                        .filter(f -> f.startsWith("--") && !known.contains(f) && !code.contains(f))
                        .forEach(wrong::add);
            }
        });
    }

    @Test
    @DisplayName("every environment variable that a page names is read somewhere")
    void variables() {
        check(VARIABLE, (m, wrong) -> {
            if (!code.contains(m.group())) {
                wrong.add(m.group());
            }
        });
    }

    @Test
    @DisplayName("every system, framework and service property that a page names exists")
    void properties() {
        Set<String> notProperties = Set.of("vt.log");
        eachSpan((span, wrong) -> PROPERTY.matcher(span)
                .results()
                .filter(m -> m.start() == 0 || "{D \"".indexOf(span.charAt(m.start() - 1)) >= 0)
                .map(m -> m.group(1))
                .filter(p -> notProperties.stream().noneMatch(p::startsWith) && !code.contains(p))
                .forEach(wrong::add));
    }

    @Test
    @DisplayName("every PID, package, bundle and class below dev.vt that a page names exists")
    void names() {
        Set<String> names = new TreeSet<>();
        for (Path f : repository.files(n -> n.contains("/src/main/java/") && n.endsWith(".java"))) {
            String type = repository
                    .name(f)
                    .replaceAll(".*/src/main/java/|\\.java$", "")
                    .replace('/', '.');
            for (String n = type; n.contains("."); n = n.substring(0, n.lastIndexOf('.'))) {
                names.add(n);
            }
        }
        Pattern.compile("<artifactId>vt-([a-z-]+)</artifactId>")
                .matcher(code)
                .results()
                .forEach(m -> names.add("dev.vt." + m.group(1).replace('-', '.')));
        Pattern.compile("PID = \"([^\"]+)\"").matcher(code).results().forEach(m -> names.add(m.group(1)));
        check(DOTTED, (m, wrong) -> {
            // Levels in logging.properties are set by the name of a logger and a suffix.
            if (!names.contains(m.group()) && !names.contains(m.group().replaceFirst("\\.level$", ""))) {
                wrong.add(m.group());
            }
        });
    }

    @Test
    @DisplayName("every key that a table names for a PID is one that its reader knows")
    void keys() {
        String reader = repository.text(n -> n.endsWith("/RegistryConfig.java"));
        List<String> keys = new ArrayList<>();
        for (Page page : repository.pages()) {
            String text = Repository.read(page.file());
            Pattern.compile("(?m)^\\| key of dev\\.vt\\.registry \\|.*\n\\|.*\n((?:\\|.*\n)+)")
                    .matcher(text)
                    .results()
                    .flatMap(t -> Pattern.compile("(?m)^\\| `([^`]+)`")
                            .matcher(t.group(1))
                            .results())
                    .forEach(m -> keys.add(m.group(1)));
        }
        assertFalse(keys.isEmpty(), "no page has the keys of dev.vt.registry");
        none(keys.stream()
                .filter(k -> !reader.matches("(?s).*[\"|(]" + k + "[\"|)].*"))
                .toList());
    }

    @Test
    @DisplayName("every op in a command line exists")
    void ops() {
        Set<String> ops = Pattern.compile("Op\\.of\\(\\d+, \"([^\"]+)\"")
                .matcher(repository.text(n -> n.endsWith("/OpTable.java")))
                .results()
                .map(m -> m.group(1))
                .collect(Collectors.toSet());
        check(OP_OF_COMMAND, (m, wrong) -> {
            if (!ops.contains(m.group(1))) {
                wrong.add(m.group());
            }
        });
    }

    @Test
    @DisplayName("every class between backticks exists, with the method that is named")
    void classes() {
        Map<String, String> sources = repository.files(n -> n.endsWith(".java")).stream()
                .collect(Collectors.toMap(
                        f -> f.getFileName().toString().replace(".java", ""), Repository::read, String::concat));
        String all = String.join("\n", sources.values());
        eachSpan((span, wrong) -> CLASS.matcher(span).results().forEach(m -> {
            String source = sources.get(m.group(1));
            boolean there = source != null
                    ? m.group(2) == null || source.contains(m.group(2) + "(")
                    : PRODUCTS.contains(m.group(1))
                            || ofJdk(m.group(1))
                            || all.matches("(?s).*\\b(?:class|record|enum|interface|import [\\w.]+\\.) ?" + m.group(1)
                                    + "\\b.*");
            if (!there) {
                wrong.add(m.group());
            }
        }));
    }

    private static boolean ofJdk(String name) {
        return PACKAGES.stream().anyMatch(p -> {
            try {
                return Class.forName(p + "." + name) != null;
            } catch (ClassNotFoundException e) {
                return false;
            }
        });
    }

    @Test
    @DisplayName("every relative link leads to a file, and to a heading of it")
    void links() {
        List<String> wrong = new ArrayList<>();
        for (Page page : repository.pages()) {
            for (String link : page.links()) {
                if (!link.matches("[a-z]+:.*") && !resolves(page, link)) {
                    wrong.add(repository.name(page.file()) + ": " + link);
                }
            }
        }
        none(wrong);
    }

    private static boolean resolves(Page page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? page.file()
                : page.file().resolveSibling(parts[0]).normalize();
        return Files.exists(target)
                && (parts.length == 1 || Page.read(target).anchors().contains(parts[1]));
    }

    @Test
    @DisplayName("every file of the repository between backticks exists")
    void files() {
        eachSpan((span, wrong) -> {
            if (FILE.matcher(span).matches()
                    && !span.contains("target")
                    && !Files.exists(repository.root().resolve(span))) {
                wrong.add(span);
            }
        });
    }

    @Test
    @DisplayName("every bundle's folder has a README of at most twenty lines beside its tables")
    void readmes() {
        List<String> wrong = new ArrayList<>();
        for (Path pom : repository.files(n -> n.matches("bundles/.+/pom\\.xml"))) {
            Path readme = pom.resolveSibling("README.md");
            if (!Files.exists(readme)) {
                wrong.add(repository.name(readme) + " is missing");
            } else if (Repository.read(readme)
                            .lines()
                            .filter(l -> !l.startsWith("|"))
                            .count()
                    > 20) {
                wrong.add(repository.name(readme) + " is longer than a first look takes");
            }
        }
        none(wrong);
    }

    @Test
    @DisplayName("the README shows docs/session.txt, which holds what docs/session runs, the first command first")
    void session() {
        String recorded = Repository.read(repository.root().resolve("docs/session.txt"));
        List<String> run = Pattern.compile("(?m)^    run \"(.*)\"$")
                .matcher(Repository.read(repository.root().resolve("docs/session")))
                .results()
                .map(m -> "$ ./vt -c \"" + m.group(1) + "\"")
                .toList();
        assertEquals(run, recorded.lines().filter(l -> l.startsWith("$ ")).toList());
        Page readme = repository.page("README.md");
        assertEquals(
                recorded.strip(),
                readme.blocks().getOrDefault("docs/session.txt", "").strip());
        assertTrue(
                readme.codeLines().contains(run.getFirst().substring(2)),
                "command 1 of the README is the first of docs/session");
    }

    /** Looks for a pattern in all code of all pages and expects nothing wrong. */
    private void check(Pattern pattern, BiConsumer<MatchResult, List<String>> check) {
        List<String> wrong = new ArrayList<>();
        for (Page page : repository.pages()) {
            List<String> own = new ArrayList<>();
            page.code().forEach(line -> pattern.matcher(line).results().forEach(m -> check.accept(m, own)));
            own.forEach(w -> wrong.add(repository.name(page.file()) + ": " + w));
        }
        none(wrong);
    }

    private void eachSpan(BiConsumer<String, List<String>> check) {
        List<String> wrong = new ArrayList<>();
        for (Page page : repository.pages()) {
            List<String> own = new ArrayList<>();
            page.spans().forEach(span -> check.accept(span, own));
            own.forEach(w -> wrong.add(repository.name(page.file()) + ": " + w));
        }
        none(wrong);
    }

    private static void none(List<String> wrong) {
        assertEquals("", String.join("\n", wrong));
    }
}
