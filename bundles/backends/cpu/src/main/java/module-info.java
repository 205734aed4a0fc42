/** The CPU as a device, and its own kernels. */
module dev.vt.backend.cpu {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires static org.osgi.service.component.annotations;
    requires transitive dev.vt.api;
    requires dev.vt.ops;

    exports dev.vt.backend.cpu;

    provides dev.vt.api.spi.OpProvider with
            dev.vt.backend.cpu.internal.CpuNativeProvider;
    provides dev.vt.api.device.Backend with
            dev.vt.backend.cpu.CpuBackend;
}
