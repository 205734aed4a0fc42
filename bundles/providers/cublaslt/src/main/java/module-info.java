/** Matrix products for NVIDIA GPUs by cuBLASLt. */
module dev.vt.provider.cublaslt {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires static org.osgi.service.component.annotations;
    requires dev.vt.api;
    requires dev.vt.ops;
    requires dev.vt.backend.cuda;

    provides dev.vt.api.spi.OpProvider with
            dev.vt.provider.cublaslt.internal.CublasLtProvider;
}
