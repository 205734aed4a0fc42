package dev.vt.features;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** The features of a Karaf features file, as far as ours use the format; anything else in it is an error. Immutable. */
final class KarafFeatures {
    /**
     * One feature.
     *
     * @param name its name
     * @param version its version
     * @param description one line for people
     * @param builtOn names of the features it needs
     * @param bundles its own bundles as {@code group:artifact:version}
     * @param configurations settings by PID
     */
    record Feature(
            String name,
            String version,
            String description,
            List<String> builtOn,
            List<String> bundles,
            Map<String, Map<String, String>> configurations) {}

    private final Map<String, Feature> features;

    private KarafFeatures(Map<String, Feature> features) {
        this.features = features;
    }

    static KarafFeatures read(Path file) throws IOException {
        Map<String, Feature> all = new LinkedHashMap<>();
        for (Element element : children(parse(file))) {
            Feature feature = feature(element);
            for (String needed : feature.builtOn()) {
                if (!all.containsKey(needed)) {
                    throw new IOException(
                            feature.name() + " is built on " + needed + ", which does not stand before it");
                }
            }
            if (all.put(feature.name(), feature) != null) {
                throw new IOException("two features are called " + feature.name());
            }
        }
        return new KarafFeatures(all);
    }

    List<Feature> all() {
        return List.copyOf(features.values());
    }

    /** The bundles of a feature and of those it is built on, each once, those it is built on first. */
    List<String> bundlesWithNeeded(Feature feature) {
        Set<String> all = new LinkedHashSet<>();
        feature.builtOn().forEach(name -> all.addAll(bundlesWithNeeded(named(name))));
        all.addAll(feature.bundles());
        return List.copyOf(all);
    }

    /** The settings of a feature and of those it is built on; its own win. */
    Map<String, Map<String, String>> configurationsWithNeeded(Feature feature) {
        Map<String, Map<String, String>> all = new TreeMap<>();
        feature.builtOn().forEach(name -> all.putAll(configurationsWithNeeded(named(name))));
        all.putAll(feature.configurations());
        return all;
    }

    private Feature named(String name) {
        return Optional.ofNullable(features.get(name))
                .orElseThrow(
                        () -> new IllegalArgumentException("a feature is built on " + name + ", which is not there"));
    }

    private static Element parse(Path file) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static Feature feature(Element element) throws IOException {
        List<String> builtOn = new ArrayList<>();
        List<String> bundles = new ArrayList<>();
        Map<String, Map<String, String>> configurations = new TreeMap<>();
        for (Element part : children(element)) {
            String text = part.getTextContent().strip();
            switch (part.getTagName()) {
                case "feature" -> builtOn.add(text);
                case "bundle" -> bundles.add(id(text));
                case "config" -> configurations.put(part.getAttribute("name"), settings(text));
                default -> throw new IOException("unknown element " + part.getTagName());
            }
        }
        return new Feature(
                element.getAttribute("name"),
                element.getAttribute("version"),
                element.getAttribute("description"),
                builtOn,
                bundles,
                configurations);
    }

    private static String id(String url) throws IOException {
        String[] parts = url.replaceFirst("^mvn:", "").split("/");
        if (!url.startsWith("mvn:") || parts.length != 3 || url.contains("${")) {
            throw new IOException("expected mvn:group/artifact/version, found " + url);
        }
        return String.join(":", parts);
    }

    private static Map<String, String> settings(String text) throws IOException {
        Properties lines = new Properties();
        lines.load(new StringReader(text));
        Map<String, String> all = new TreeMap<>();
        lines.stringPropertyNames().forEach(name -> all.put(name, lines.getProperty(name)));
        return all;
    }

    private static List<Element> children(Element parent) {
        List<Element> all = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                all.add(element);
            }
        }
        return all;
    }
}
