package dev.vt.itests.docs;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands of the shell bundle and their flags, read from its source text, so that no build has to come first. */
final class ShellSource {
    private static final Pattern COMMAND = Pattern.compile("(?m)^    @Command\\(");
    /** The method behind an annotation, up to the brace that opens its body. */
    private static final Pattern METHOD =
            Pattern.compile("(?s)\\A.*?\\n    (?:\\w[\\w<>., ]* )?(\\w+)\\((.*?)\\n?[^\\n]*\\) ?(?:throws [^{]*)?\\{");

    private static final Pattern NAMES = Pattern.compile("names = (?:\\{([^}]*)}|(\"[^\"]*\"))");
    private static final Pattern FUNCTION = Pattern.compile("osgi\\.command\\.function=([a-z-]+)");

    private final Map<String, Set<String>> flags = new TreeMap<>();
    private final Set<String> published = new TreeSet<>();

    ShellSource(Repository repository) {
        for (var file :
                repository.files(n -> n.startsWith("bundles/shell/src/main/java/") && n.endsWith("Commands.java"))) {
            read(Repository.read(file));
        }
    }

    private void read(String source) {
        FUNCTION.matcher(source).results().forEach(m -> published.add(m.group(1)));
        Matcher start = COMMAND.matcher(source);
        while (start.find()) {
            Matcher method = METHOD.matcher(source.substring(start.end()));
            if (!method.find()) {
                throw new IllegalStateException(
                        "no method behind @Command: " + source.substring(start.end(), start.end() + 80));
            }
            Set<String> own = new TreeSet<>(Set.of("--json", "--no-format"));
            NAMES.matcher(method.group())
                    .results()
                    .forEach(m -> own.addAll(quoted(m.group(1) == null ? m.group(2) : m.group(1))));
            flags.put(method.group(1).replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT), own);
        }
    }

    private static Set<String> quoted(String list) {
        return new TreeSet<>(Arrays.stream(list.split(","))
                .map(s -> s.strip().replace("\"", ""))
                .toList());
    }

    /** Flags by command, without the scope. */
    Map<String, Set<String>> flags() {
        return flags;
    }

    /** The names under which components publish commands. */
    Set<String> published() {
        return published;
    }
}
