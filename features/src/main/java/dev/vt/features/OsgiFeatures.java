package dev.vt.features;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes one OSGi feature file (Feature Service Specification 1.0) beside a Karaf features file for each feature in it. The
 * build runs it; its output depends on its input alone.
 */
public final class OsgiFeatures {
    private OsgiFeatures() {}

    /** Takes the Karaf file, and {@code group:artifact} for the identities of the features. */
    public static void main(String[] args) throws IOException {
        Path file = Path.of(args[0]);
        KarafFeatures features = KarafFeatures.read(file);
        for (KarafFeatures.Feature feature : features.all()) {
            Files.writeString(file.resolveSibling(feature.name() + ".json"), json(features, feature, args[1]));
        }
    }

    private static String json(KarafFeatures features, KarafFeatures.Feature feature, String artifact) {
        return """
            {
              "feature-resource-version": "1.0",
              "id": %s,
              "name": %s,
              "description": %s,
              "license": "Apache-2.0",
              "complete": true,
              "bundles": [
            %s
              ],
              "configurations": {%s}
            }
            """.formatted(
                        quoted(artifact + ":osgifeature:" + feature.name() + ":" + feature.version()),
                        quoted(feature.name()),
                        quoted(feature.description()),
                        bundles(features.bundlesWithNeeded(feature)),
                        configurations(features.configurationsWithNeeded(feature)));
    }

    private static String bundles(List<String> ids) {
        return ids.stream().map(id -> "    {\"id\": " + quoted(id) + "}").collect(Collectors.joining(",\n"));
    }

    private static String configurations(Map<String, Map<String, String>> all) {
        return all.entrySet().stream()
                .map(e -> quoted(e.getKey()) + ": {" + settings(e.getValue()) + "}")
                .collect(Collectors.joining(", "));
    }

    private static String settings(Map<String, String> all) {
        return all.entrySet().stream()
                .map(e -> quoted(e.getKey()) + ": " + quoted(e.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
