/** Vector API kernels for the CPU. */
module dev.vt.provider.vector {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires static org.osgi.service.component.annotations;
    requires dev.vt.api;
    requires dev.vt.ops;
    requires dev.vt.backend.cpu;
    requires jdk.incubator.vector;

    provides dev.vt.api.spi.OpProvider with
            dev.vt.provider.vector.internal.VectorProvider;
}
