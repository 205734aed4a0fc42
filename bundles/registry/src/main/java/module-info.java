/** Selects kernels and finds backends. */
module dev.vt.registry {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires transitive dev.vt.api;
    requires static osgi.core;
    requires static org.osgi.service.component.annotations;

    exports dev.vt.registry;

    uses dev.vt.api.device.Backend;
    uses dev.vt.api.spi.AdmissionTest;
    uses dev.vt.api.spi.BackendFinder;
    uses dev.vt.api.spi.OpProvider;
}
