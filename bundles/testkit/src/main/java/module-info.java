/** Doubles for what a test machine lacks, provider bundles made on the fly, and the conformance kit as JUnit tests. */
module dev.vt.testkit {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires transitive dev.vt.api;
    requires transitive dev.vt.ops;
    requires transitive dev.vt.backend.cpu;
    requires transitive dev.vt.conformance;
    requires static transitive org.junit.jupiter.api;
    requires java.compiler;

    exports dev.vt.testkit;
}
