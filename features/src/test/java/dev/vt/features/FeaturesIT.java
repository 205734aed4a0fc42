package dev.vt.features;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import org.osgi.framework.wiring.FrameworkWiring;

/** Both forms of the features as the build has made them, and the bundles of this build. */
class FeaturesIT {
    private static final Path FOLDER = Path.of(System.getProperty("features.folder"));
    private static final Path BUNDLES = Path.of(System.getProperty("bundles.folder"));
    private static final Pattern BUNDLE = Pattern.compile("\\{\"id\": \"([^\"]+)\"}");

    static List<KarafFeatures.Feature> features() throws IOException {
        return KarafFeatures.read(FOLDER.resolve("features.xml")).all();
    }

    /** As a reader of the OSGi form finds them, by nothing of the code that wrote it. */
    private static List<String> bundles(String feature) throws IOException {
        Matcher found = BUNDLE.matcher(Files.readString(FOLDER.resolve(feature + ".json")));
        List<String> ids = new ArrayList<>();
        while (found.find()) {
            ids.add(found.group(1));
        }
        return ids;
    }

    private static Path jar(String id) {
        String[] parts = id.split(":");
        return BUNDLES.resolve(parts[0] + "." + parts[1] + "-" + parts[2] + ".jar");
    }

    @ParameterizedTest
    @MethodSource("features")
    @DisplayName("both forms of a feature name the same bundles, and each of them exists in this build")
    void sameBundles(KarafFeatures.Feature feature) throws IOException {
        KarafFeatures all = KarafFeatures.read(FOLDER.resolve("features.xml"));
        assertEquals(all.bundlesWithNeeded(feature), bundles(feature.name()));
        for (String id : bundles(feature.name())) {
            assertTrue(Files.isRegularFile(jar(id)), id + " is no dependency of this module");
        }
    }

    @Test
    @DisplayName("no bundle of this build is left out of the features")
    void nothingLeftOut() throws IOException {
        Set<String> named = new TreeSet<>();
        for (KarafFeatures.Feature feature : features()) {
            feature.bundles().forEach(id -> named.add(jar(id).getFileName().toString()));
        }
        Set<String> built = new TreeSet<>();
        try (Stream<Path> files = Files.list(BUNDLES)) {
            files.forEach(f -> built.add(f.getFileName().toString()));
        }
        assertEquals(built, named);
    }

    @ParameterizedTest
    @MethodSource("features")
    @DisplayName("each feature alone resolves in a real framework")
    void resolves(KarafFeatures.Feature feature, @TempDir Path temp) throws Exception {
        Framework framework = ServiceLoader.load(FrameworkFactory.class)
                .findFirst()
                .orElseThrow()
                .newFramework(Map.of("org.osgi.framework.storage", temp.toString(), "felix.log.level", "0"));
        framework.init();
        try {
            List<Bundle> installed = new ArrayList<>();
            for (String id : bundles(feature.name())) {
                installed.add(framework.getBundleContext().installBundle("reference:" + jar(id).toUri()));
            }
            framework.adapt(FrameworkWiring.class).resolveBundles(installed);
            for (Bundle bundle : installed) {
                assertEquals("", problem(bundle), bundle.getSymbolicName());
            }
        } finally {
            framework.stop();
            framework.waitForStop(10_000);
        }
    }

    /** The framework's own words for what is missing, which only a start gives. */
    private static String problem(Bundle bundle) {
        if (bundle.getState() != Bundle.INSTALLED) {
            return "";
        }
        try {
            bundle.start();
            return "not resolved";
        } catch (BundleException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
