/** Doubles for what a test machine lacks, and provider bundles made on the fly. */
module dev.vt.testkit {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires transitive dev.vt.api;
    requires transitive dev.vt.ops;
    requires transitive dev.vt.backend.cpu;
    requires java.compiler;

    exports dev.vt.testkit;
}
