/** What callers see and what plug-ins implement; depends on the JDK alone. */
module dev.vt.api {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires static org.osgi.service.component.annotations;

    exports dev.vt.api;
    exports dev.vt.api.device;
    exports dev.vt.api.op;
    exports dev.vt.api.registry;
    exports dev.vt.api.spi;
    exports dev.vt.api.tensor;
}
