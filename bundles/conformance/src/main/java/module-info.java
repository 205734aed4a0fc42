/** The conformance kit: calls of every op, what they must give, and the checks. */
module dev.vt.conformance {
    requires transitive dev.vt.api;
    requires transitive dev.vt.ops;
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;

    exports dev.vt.conformance;
    exports dev.vt.conformance.spec;
}
