package dev.vt.model;

import dev.vt.api.op.OpRegistry;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.registry.VtRuntime;
import dev.vt.testkit.DeviceDouble;
import dev.vt.testkit.DoubleProvider;
import java.nio.file.Path;

/** A runtime with a device whose memory the host can't address, with the CPU's kernels over it. */
final class DeviceRuntime implements AutoCloseable {
    private final DeviceDouble device;
    private final VtRuntime runtime = VtRuntime.empty();
    private final KernelSet kernels = new CpuNativeProvider().kernels();

    DeviceRuntime(DeviceDouble device) {
        this.device = device;
        runtime.add(device);
        runtime.add(provider(OpProvider.NATIVE, 0));
    }

    DeviceDouble device() {
        return device;
    }

    VtRuntime runtime() {
        return runtime;
    }

    OpRegistry ops() {
        return runtime.ops();
    }

    KernelSet kernels() {
        return kernels;
    }

    /** A further provider of all kernels. */
    DoubleProvider provider(String name, int priority) {
        return new DoubleProvider(name, priority, device, kernels);
    }

    ModelOptions options() {
        return ModelOptions.of(device);
    }

    TextGenerator open(Path model, ModelOptions options) {
        return TextGenerator.open(model, device, ops(), options);
    }

    @Override
    public void close() {
        runtime.close();
        device.close();
    }
}
