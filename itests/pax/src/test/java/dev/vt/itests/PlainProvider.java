package dev.vt.itests;

import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.ops.OpTable;
import java.util.Dictionary;
import java.util.Hashtable;
import java.util.Map;

/** A provider that a test registers without a bundle of its own, and that nobody calls. */
record PlainProvider(String name, int priority) implements OpProvider {
    /** The service properties that belong to it. */
    Dictionary<String, Object> properties() {
        return new Hashtable<>(
                Map.of("vt.provider.name", name, "vt.provider.priority", priority, "vt.provider.device", "cpu"));
    }

    @Override
    public DeviceType deviceType() {
        return DeviceType.CPU;
    }

    @Override
    public KernelSet kernels() {
        return KernelSet.builder()
                .put(OpTable.MATMUL_BT, (queue, out, a, b) -> Outcome.SERVED)
                .build();
    }
}
