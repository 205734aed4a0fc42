package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.OpRegistry;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.registry.VtRuntime;
import java.nio.file.Path;

/** A runtime with the CPU and its own kernels alone, so that results do not depend on what else is on the path. */
final class TestRuntime implements AutoCloseable {
    private final CpuBackend cpu = new CpuBackend();
    private final VtRuntime runtime = VtRuntime.empty();

    TestRuntime() {
        runtime.add(cpu);
        runtime.add(new CpuNativeProvider());
    }

    VtRuntime runtime() {
        return runtime;
    }

    OpRegistry ops() {
        return runtime.ops();
    }

    Backend backend() {
        return runtime.backends().get(DeviceType.CPU);
    }

    TextGenerator open(Path model) {
        return TextGenerator.open(model, backend(), ops());
    }

    TextGenerator open(Path model, int chunk) {
        return open(model, ModelOptions.of(backend()).withChunk(chunk));
    }

    TextGenerator open(Path model, ModelOptions options) {
        return TextGenerator.open(model, backend(), ops(), options);
    }

    @Override
    public void close() {
        runtime.close();
        cpu.close();
    }
}
