/** NVIDIA GPUs as devices, and their own kernels. */
module dev.vt.backend.cuda {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires static org.osgi.service.component.annotations;
    requires static osgi.core;
    requires transitive dev.vt.api;
    requires dev.vt.ops;
    requires dev.vt.natives.jcuda;

    exports dev.vt.backend.cuda;

    provides dev.vt.api.spi.OpProvider with
            dev.vt.backend.cuda.internal.CudaNativeProvider;
    provides dev.vt.api.spi.BackendFinder with
            dev.vt.backend.cuda.internal.CudaFinder;
}
