/** The op catalogue: entry points that validate, and the kernel interfaces. */
module dev.vt.ops {
    requires transitive dev.vt.api;
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;

    exports dev.vt.ops;
    exports dev.vt.ops.fusion;
    exports dev.vt.ops.kernel;
}
