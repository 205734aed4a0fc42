package dev.vt.backend.cuda.internal.launch;

import dev.vt.api.VtException;
import dev.vt.backend.cuda.CudaLibrary;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.util.List;
import java.util.Optional;
import jcuda.driver.CUmodule;

/**
 * Compiles kernels for devices, or takes what an earlier process compiled. Its device owns it; any
 * thread may call it.
 */
public final class KernelCompiler implements AutoCloseable {
    /** System property with the path of NVRTC's library; with it no other place is looked at. */
    private static final String PROPERTY = "vt.nvrtc.library";

    private static final List<String> NAMES = List.of("libnvrtc.so.13", "libnvrtc.so.12");

    private final Optional<Nvrtc> nvrtc;
    private final CubinCache cache;
    private final PrebuiltKernels prebuilt;

    private KernelCompiler(Optional<Nvrtc> nvrtc, CubinCache cache, PrebuiltKernels prebuilt) {
        this.nvrtc = nvrtc;
        this.cache = cache;
        this.prebuilt = prebuilt;
    }

    /** A compiler over the NVRTC library of this machine, if it has one. */
    public static KernelCompiler find() {
        return new KernelCompiler(
                CudaLibrary.find(PROPERTY, NAMES).map(Nvrtc::new), CubinCache.ofUser(), PrebuiltKernels.find());
    }

    /** Whether kernels can be compiled at all. */
    public boolean present() {
        return nvrtc.isPresent();
    }

    /** Whether there is PTX for the kernels, which the driver translates by itself. */
    public boolean prebuilt() {
        return prebuilt.present();
    }

    CUmodule load(KernelModule module, DeviceContext context) {
        if (nvrtc.isEmpty() && prebuilt.present()) {
            return context.load(prebuilt.get(module));
        }
        Nvrtc compiler = nvrtc.orElseThrow(() -> VtException.unsupported("backend cuda of "
                + context.state().device() + ": kernels of " + module.file()
                + " can't be compiled: NVRTC was not found ("
                + PROPERTY + " names its library)"));
        String source = module.source();
        String target = compiler.target(context.info().capability(), module.specific());
        String key = CubinCache.key(source, compiler.version(), target);
        Optional<byte[]> kept = cache.get(key);
        if (kept.isPresent()) {
            try {
                return context.load(kept.get());
            } catch (VtException e) {
                // A file that the driver refuses is made anew; if the device itself is gone, the next call says so.
                cache.remove(key);
            }
        }
        byte[] image = compiler.compile(module.file(), source, target);
        CUmodule loaded = context.load(image);
        cache.put(key, image);
        return loaded;
    }

    @Override
    public void close() {
        nvrtc.ifPresent(Nvrtc::close);
    }
}
