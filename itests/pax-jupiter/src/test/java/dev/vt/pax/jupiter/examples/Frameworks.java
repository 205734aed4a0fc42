package dev.vt.pax.jupiter.examples;

import static org.ops4j.pax.exam.CoreOptions.frameworkProperty;
import static org.ops4j.pax.exam.CoreOptions.options;
import static org.ops4j.pax.exam.CoreOptions.systemPackages;

import org.ops4j.pax.exam.Option;

/** The framework of the examples: nothing in it but Pax Exam's own bundles. */
final class Frameworks {
    private Frameworks() {}

    static Option[] bare() {
        return options(
                systemPackages(
                        "org.junit.jupiter.api",
                        "org.junit.jupiter.api.extension",
                        "org.junit.jupiter.api.function",
                        "org.junit.jupiter.params",
                        "org.junit.jupiter.params.provider",
                        "org.opentest4j",
                        "org.apiguardian.api"),
                frameworkProperty("org.ops4j.pax.logging.DefaultServiceLog.level")
                        .value("WARN"));
    }
}
