package dev.vt.backend.cuda.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.spi.OpProviderProperties;
import dev.vt.backend.cuda.CudaFeatures;
import dev.vt.backend.cuda.internal.kernel.CudaKernels;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * The provider of the CUDA backend's own kernels, on any device that they can be compiled for. Made by Declarative Services while there is a device, or
 * by the service loader; the registry owns it and asks it once. Holds no state and touches no driver.
 */
@Component(
        service = OpProvider.class,
        reference =
                @Reference(
                        name = "device",
                        service = Backend.class,
                        target = CudaComponent.TARGET,
                        cardinality = ReferenceCardinality.AT_LEAST_ONE,
                        policy = ReferencePolicy.DYNAMIC))
@OpProviderProperties(name = OpProvider.NATIVE, priority = 0, device = "cuda")
public final class CudaNativeProvider implements OpProvider {
    /** Takes a configured priority as it is: without this method the component would leave and be made anew. */
    @Modified
    void modified() {
        // The registry reads the service properties; the provider itself has nothing to change.
    }

    @Override
    public String name() {
        return NATIVE;
    }

    @Override
    public int priority() {
        return 0;
    }

    @Override
    public DeviceType deviceType() {
        return DeviceType.CUDA;
    }

    @Override
    public boolean supports(ProviderCaps caps) {
        return caps.valid() && (caps.has(CudaFeatures.NVRTC.mask()) || caps.has(CudaFeatures.PREBUILT_KERNELS.mask()));
    }

    @Override
    public String requirement() {
        return "the library of NVRTC (vt.nvrtc.library names it)";
    }

    @Override
    public KernelSet kernels() {
        return CudaKernels.all();
    }
}
