package dev.vt.provider.vector.internal;

import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.spi.OpProviderProperties;
import dev.vt.backend.cpu.CpuFeatures;
import dev.vt.ops.OpTable;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Modified;

/**
 * Matrix products for the CPU with the Vector API. Made by Declarative Services or by the service loader; the registry
 * owns it and asks it once. Starts nothing, and touches no vector class before its kernels are asked for.
 */
@Component(service = OpProvider.class)
@OpProviderProperties(name = VectorProvider.NAME, priority = VectorProvider.PRIORITY, device = "cpu")
public final class VectorProvider implements OpProvider {
    static final String NAME = "vector";
    static final int PRIORITY = 10;

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
        return DeviceType.CPU;
    }

    @Override
    public boolean supports(ProviderCaps caps) {
        return caps.valid()
                && caps.has(CpuFeatures.VECTOR_API.mask())
                && (caps.has(CpuFeatures.AVX2.mask())
                        || caps.has(CpuFeatures.AVX512F.mask())
                        || caps.has(CpuFeatures.NEON.mask()));
    }

    @Override
    public String requirement() {
        return "module jdk.incubator.vector (--add-modules) and one of avx2, avx512f, neon";
    }

    @Override
    public KernelSet kernels() {
        MatmulBtKernel transposed = new MatmulBtKernel();
        return KernelSet.builder()
                .put(OpTable.MATMUL, new MatmulKernel())
                .put(OpTable.MATMUL_BT, transposed)
                .put(OpTable.MATMUL_BT_QUANT, transposed)
                .build();
    }
}
