package dev.vt.itests.docs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of Markdown, as far as tests look into it: code, links, headings.
 *
 * @param file where it lies
 * @param spans text between backticks
 * @param codeLines lines of fenced and indented code
 * @param blocks fenced blocks that have a title, by title
 * @param links targets of links
 * @param anchors the names by which headings can be linked to
 */
record Page(
        Path file,
        List<String> spans,
        List<String> codeLines,
        Map<String, String> blocks,
        List<String> links,
        Set<String> anchors) {
    private static final Pattern FENCE = Pattern.compile("```(\\w*)(?:\\s+title=\"([^\"]+)\")?\\s*");
    private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");

    static Page read(Path file) {
        Page page = new Page(
                file, new ArrayList<>(), new ArrayList<>(), new TreeMap<>(), new ArrayList<>(), new TreeSet<>());
        StringBuilder prose = new StringBuilder();
        StringBuilder block = null;
        String title = null;
        for (String line : Repository.read(file).lines().toList()) {
            Matcher fence = FENCE.matcher(line);
            if (block != null && line.startsWith("```")) {
                if (title != null) {
                    page.blocks.put(title, block.toString());
                }
                block = null;
            } else if (block != null) {
                block.append(line).append('\n');
                page.codeLines.add(line);
            } else if (fence.matches()) {
                block = new StringBuilder();
                title = fence.group(2);
            } else if (line.startsWith("    ")) {
                page.codeLines.add(line.strip());
            } else {
                prose.append(line).append('\n');
            }
        }
        page.readProse(prose.toString());
        return page;
    }

    private void readProse(String prose) {
        SPAN.matcher(prose).results().forEach(m -> spans.add(m.group(1).replace('\n', ' ')));
        LINK.matcher(SPAN.matcher(prose).replaceAll("code")).results().forEach(m -> links.add(m.group(1)));
        prose.lines().map(HEADING::matcher).filter(Matcher::matches).forEach(m -> anchors.add(anchor(m.group(1))));
    }

    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    /** All code: spans and lines. */
    List<String> code() {
        List<String> all = new ArrayList<>(spans);
        all.addAll(codeLines);
        return all;
    }
}
