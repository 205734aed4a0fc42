package dev.vt.pax.jupiter.examples;

import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.OptionUtils.combine;

import dev.vt.pax.jupiter.PaxExamTest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;

/** A framework with a bundle that needs what is not there. Run by the bridge's own test. */
@PaxExamTest
public class UnresolvedExample {
    @Configuration
    static Option[] framework() throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Bundle-ManifestVersion", "2");
        main.putValue("Bundle-SymbolicName", "needs.what.is.not.there");
        main.putValue("Import-Package", "no.such.pkg");
        Path jar = Files.createTempFile("unresolved", ".jar");
        jar.toFile().deleteOnExit();
        try (OutputStream out = Files.newOutputStream(jar)) {
            new JarOutputStream(out, manifest).close();
        }
        return combine(Frameworks.bare(), bundle(jar.toUri().toString()).noStart());
    }

    @Test
    void neverRuns() {
        throw new AssertionError("the framework must not start");
    }
}
