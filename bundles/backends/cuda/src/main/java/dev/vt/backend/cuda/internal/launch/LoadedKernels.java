package dev.vt.backend.cuda.internal.launch;

import dev.vt.backend.cuda.internal.driver.DeviceContext;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;

/** The kernels that a device has loaded; compiled and loaded when first asked for. Any thread may call it. */
public final class LoadedKernels implements AutoCloseable {
    private final DeviceContext context;
    private final KernelCompiler compiler;
    private final Map<KernelFunction, CUfunction> functions = new ConcurrentHashMap<>();
    private final Map<Copy, CUmodule> modules = new HashMap<>();

    /** A module is loaded once for each size of clusters. */
    private record Copy(KernelModule module, int cluster) {}

    public LoadedKernels(DeviceContext context, KernelCompiler compiler) {
        this.context = context;
        this.compiler = compiler;
    }

    /** The kernel, ready to be launched. */
    public CUfunction get(KernelFunction function) {
        CUfunction known = functions.get(function);
        return known != null ? known : load(function);
    }

    private synchronized CUfunction load(KernelFunction function) {
        Copy copy = new Copy(function.module(), function.cluster());
        CUmodule module = modules.get(copy);
        if (module == null) {
            module = compiler.load(function.module(), context);
            modules.put(copy, module);
        }
        CUfunction loaded = context.function(module, function.name(), function.shared(), function.cluster());
        functions.put(function, loaded);
        return loaded;
    }

    @Override
    public synchronized void close() {
        modules.values().forEach(context::unload);
        modules.clear();
        functions.clear();
    }
}
