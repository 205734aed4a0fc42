package dev.vt.backend.cpu.internal;

import dev.vt.api.device.DeviceType;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.spi.OpProviderProperties;
import dev.vt.backend.cpu.internal.kernel.CpuKernels;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Modified;

/**
 * The provider of the CPU's own kernels, one for every op, on any processor. Made by Declarative Services or by the service
 * loader; the registry owns it and asks it once. Holds no state and starts nothing.
 */
@Component(service = OpProvider.class)
@OpProviderProperties(name = OpProvider.NATIVE, priority = 0, device = "cpu")
public final class CpuNativeProvider implements OpProvider {
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
        return DeviceType.CPU;
    }

    @Override
    public KernelSet kernels() {
        return CpuKernels.all();
    }
}
