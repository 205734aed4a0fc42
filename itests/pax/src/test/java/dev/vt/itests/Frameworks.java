package dev.vt.itests;

import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.frameworkProperty;
import static org.ops4j.pax.exam.CoreOptions.propagateSystemProperty;
import static org.ops4j.pax.exam.CoreOptions.systemPackages;
import static org.ops4j.pax.exam.CoreOptions.vmOption;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.ops4j.pax.exam.Option;

/** What the frameworks of the tests consist of. Runs outside of them, but for {@link #bundles()}. Pure functions. */
final class Frameworks {
    private Frameworks() {}

    /** The folder of bundles that the build collects. */
    static Path bundles() {
        return Path.of(System.getProperty("bundles.dir"));
    }

    /** All bundles of ours, and what they need. */
    static Option[] complete() {
        return of(jars(bundles()));
    }

    /** As {@link #complete()} without the test kit, which the bundle of the tests would be wired to. */
    static Option[] withoutTestKit() {
        return of(jars(bundles()).stream()
                .filter(jar -> !jar.endsWith("vt-testkit.jar"))
                .toList());
    }

    private static Option[] of(List<Path> jars) {
        List<Option> options = new ArrayList<>();
        jars.forEach(jar -> options.add(bundle(jar.toUri().toString())));
        options.add(frameworkProperty("org.ops4j.pax.logging.DefaultServiceLog.level")
                .value("WARN"));
        options.addAll(Boolean.getBoolean("exam.forked") ? forked() : inThisProcess());
        return options.toArray(Option[]::new);
    }

    /** JUnit from this process's class path, so that what is thrown inside is of the same classes outside. */
    private static List<Option> inThisProcess() {
        return List.of(systemPackages(
                "org.junit.jupiter.api",
                "org.junit.jupiter.api.extension",
                "org.junit.jupiter.api.function",
                "org.junit.jupiter.params",
                "org.junit.jupiter.params.provider",
                "org.opentest4j",
                "org.apiguardian.api"));
    }

    private static List<Option> forked() {
        List<Option> options = new ArrayList<>();
        jars(bundles().resolve("junit"))
                .forEach(jar -> options.add(bundle(jar.toUri().toString())));
        for (String flag : System.getProperty("vt.jvm.flags").split(" ")) {
            options.add(vmOption(flag));
        }
        options.add(propagateSystemProperty("bundles.dir"));
        return options;
    }

    private static List<Path> jars(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.toString().endsWith(".jar")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
