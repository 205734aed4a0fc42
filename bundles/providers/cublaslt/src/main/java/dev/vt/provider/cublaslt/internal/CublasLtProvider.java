package dev.vt.provider.cublaslt.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.spi.OpProviderProperties;
import dev.vt.ops.OpTable;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * Matrix products by cuBLASLt, for every CUDA device. Made by Declarative Services while there is a device, or by the service loader;
 * whoever made it closes it, once the registry has let it go: then no call is inside and no work of it is left on a device. The library is
 * loaded when a device is first asked about, and unloaded by closing.
 */
@Component(
        service = OpProvider.class,
        reference =
                @Reference(
                        name = "device",
                        service = Backend.class,
                        target = "(vt.backend.type=cuda)",
                        cardinality = ReferenceCardinality.AT_LEAST_ONE,
                        policy = ReferencePolicy.DYNAMIC))
@OpProviderProperties(name = CublasLtProvider.NAME, priority = CublasLtProvider.PRIORITY, device = "cuda")
public final class CublasLtProvider implements OpProvider, AutoCloseable {
    static final String NAME = "cublaslt";
    static final int PRIORITY = 100;

    private final LtDevices devices = new LtDevices(new LtLoader());

    /** Takes a configured priority as it is: without this method the component would leave and be made anew. */
    @Modified
    void modified() {
        // The registry reads the service properties; the provider itself has nothing to change.
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int priority() {
        return PRIORITY;
    }

    @Override
    public DeviceType deviceType() {
        return DeviceType.CUDA;
    }

    /** Turing is the oldest that version 13 has kernels for. */
    @Override
    public boolean supports(ProviderCaps caps) {
        return caps.valid() && caps.atLeast(7, 5) && devices.loader().library() != null;
    }

    @Override
    public String requirement() {
        return "compute capability 7.5 and " + devices.loader().requirement();
    }

    @Override
    public KernelSet kernels() {
        Fp8Kernel fp8 = new Fp8Kernel(devices);
        return KernelSet.builder()
                .put(OpTable.MATMUL, new MatmulKernel(devices, Product.PLAIN))
                .put(OpTable.MATMUL_FP8_CUTLASS, fp8)
                .put(OpTable.MATMUL_FP8_CUBLASLT, fp8)
                .put(OpTable.MATMUL_BT, new MatmulKernel(devices, Product.TRANSPOSED))
                .put(OpTable.BATCHED_MATMUL, new MatmulKernel(devices, Product.PLAIN))
                .build();
    }

    /** Gives back what the devices hold and unloads the library; no kernel may be called any more. */
    @Deactivate
    @Override
    public void close() {
        devices.close();
    }
}
