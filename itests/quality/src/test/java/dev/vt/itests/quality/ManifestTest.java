package dev.vt.itests.quality;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.Constants;
import org.osgi.framework.VersionRange;

/** What bnd wrote into the manifest of each built jar. */
@DisplayName("manifests")
class ManifestTest {
    static List<Bundle> bundles() throws IOException {
        return Bundle.all();
    }

    @ParameterizedTest
    @MethodSource("bundles")
    @DisplayName("O1.13 the required execution environment is JavaSE 25")
    void environment(Bundle bundle) throws IOException {
        String required = attributes(bundle).getValue(Constants.REQUIRE_CAPABILITY);
        assertTrue(
                required.contains("osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=25))\""),
                "Require-Capability of " + bundle + ": " + required);
    }

    @ParameterizedTest
    @MethodSource("bundles")
    @DisplayName("each import of a package of ours has a range with an upper end")
    void ranges(Bundle bundle) throws IOException {
        header(bundle, Constants.IMPORT_PACKAGE).forEach((name, version) -> {
            if (name.startsWith("dev.vt.")) {
                assertFalse(version.isEmpty(), "no version for " + name);
                VersionRange range = VersionRange.valueOf(version);
                assertTrue(
                        range.getRight() != null && range.getRightType() == VersionRange.RIGHT_OPEN,
                        name + " " + version);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("bundles")
    @DisplayName("annotations for compilers are not imported")
    void annotations(Bundle bundle) throws IOException {
        for (String name : header(bundle, Constants.IMPORT_PACKAGE).keySet()) {
            assertFalse(name.startsWith("org.jspecify") || name.startsWith("org.osgi.annotation"), name);
        }
    }

    @ParameterizedTest
    @MethodSource("bundles")
    @DisplayName("a bundle exports what its module exports, with versions, and no internal package")
    void exports(Bundle bundle) throws IOException {
        Map<String, String> exported = header(bundle, Constants.EXPORT_PACKAGE);
        assertEquals(new TreeSet<>(bundle.exports()), exported.keySet());
        exported.forEach((name, version) -> {
            assertTrue(version.matches("\\d+\\.\\d+\\.\\d+"), name + " has the version '" + version + "'");
            assertFalse(name.contains(".internal"), name);
        });
    }

    @ParameterizedTest
    @MethodSource("bundles")
    @DisplayName("name, vendor and licence are there")
    void identity(Bundle bundle) throws IOException {
        Attributes attributes = attributes(bundle);
        assertEquals(bundle.name(), attributes.getValue(Constants.BUNDLE_SYMBOLICNAME));
        assertEquals("the vt project", attributes.getValue(Constants.BUNDLE_VENDOR));
        assertEquals("Apache-2.0", attributes.getValue("Bundle-License"));
    }

    private static Attributes attributes(Bundle bundle) throws IOException {
        return bundle.manifest().getMainAttributes();
    }

    /** Name to version, empty when there is none, of a header that lists packages. */
    private static Map<String, String> header(Bundle bundle, String name) throws IOException {
        Map<String, String> versions = new TreeMap<>();
        String value = attributes(bundle).getValue(name);
        if (value != null) {
            // Commas and semicolons inside quotes are none of the header's own.
            for (String clause : value.split(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")) {
                String[] parts = clause.split(";(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");
                String version = "";
                for (String part : parts) {
                    if (part.startsWith("version=")) {
                        version = part.substring("version=".length()).replace("\"", "");
                    }
                }
                versions.put(parts[0].strip(), version);
            }
        }
        return versions;
    }
}
