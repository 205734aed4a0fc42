package dev.vt.itests.quality;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each bundle's public signatures against its two listings: src/api/signatures.txt is what they are, so that a change of them
 * is seen in review; src/api/released.txt is what they were in the last release, so that a change has its version. The build
 * writes the first with {@code -Dvt.signatures=write} and both with {@code -Dvt.signatures=release}.
 */
@DisplayName("public signatures")
class SignaturesTest {
    private static final String MODE = System.getProperty("vt.signatures");

    static List<Bundle> bundles() throws IOException {
        return Bundle.all();
    }

    @ParameterizedTest
    @MethodSource("bundles")
    @DisplayName("a change since the last release has a version of its own")
    void versions(Bundle bundle) throws IOException {
        SortedMap<String, Signatures> now = Signatures.of(bundle);
        List<String> faults = VersionRule.faults(Signatures.parse(bundle.releasedListing()), now);
        assertTrue(faults.isEmpty(), String.join("\n", faults));
        if (MODE.equals("release") && !now.isEmpty()) {
            Files.createDirectories(bundle.releasedListing().getParent());
            Files.writeString(bundle.releasedListing(), Signatures.listing(now));
        }
    }

    @ParameterizedTest
    @MethodSource("bundles")
    @DisplayName("the listing is up to date")
    void listing(Bundle bundle) throws IOException {
        String now = Signatures.listing(Signatures.of(bundle));
        if (!MODE.equals("check") && !now.isEmpty()) {
            Files.createDirectories(bundle.listing().getParent());
            Files.writeString(bundle.listing(), now);
        } else {
            List<String> changes = changes(Signatures.listing(Signatures.parse(bundle.listing())), now);
            assertTrue(
                    changes.isEmpty(),
                    bundle + ": public signatures were changed; CONTRIBUTING.md says how to write the listing anew:\n"
                            + String.join("\n", changes));
        }
    }

    /** The lines that are gone and those that are new. */
    private static List<String> changes(String listed, String now) {
        List<String> before = listed.lines().toList();
        List<String> after = now.lines().toList();
        return Stream.concat(
                        before.stream().filter(line -> !after.contains(line)).map("  - "::concat),
                        after.stream().filter(line -> !before.contains(line)).map("  + "::concat))
                .toList();
    }
}
