/**
 * A program that uses the runtime without OSGi: it names the registry and the ops, and finds backends and providers by
 * services.
 */
module dev.vt.itests.jpms {
    requires dev.vt.api;
    requires dev.vt.ops;
    requires dev.vt.registry;
    requires static org.jspecify;
}
