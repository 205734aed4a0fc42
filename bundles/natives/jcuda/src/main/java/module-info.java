/** JCuda's binding of the CUDA driver API, with the one native library that it needs. */
module dev.vt.natives.jcuda {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;

    exports dev.vt.natives.jcuda;
    exports jcuda;
    exports jcuda.driver;
}
