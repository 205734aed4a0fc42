package dev.vt.testkit;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpLease;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.registry.VtRuntime;
import java.util.List;

/** What the tests of second devices share: the devices, and the CPU's own kernels to lend to them. */
final class SecondDevices implements AutoCloseable {
    private static final Device CPU = Device.of(DeviceType.CPU);

    /** A way in which a device differs from the CPU. */
    enum Kind {
        UNIFIED,
        UNIFIED_DEFERRED,
        DISCRETE,
        DISCRETE_DEFERRED;

        DeviceDouble.Builder builder() {
            DeviceDouble.Builder b = name().startsWith("UNIFIED") ? TestDevices.unified() : TestDevices.discrete();
            return b.deferred(name().endsWith("DEFERRED"));
        }
    }

    /** Keeps the kernels alive. */
    private final VtRuntime host = VtRuntime.load();

    private final KernelSet kernels;

    SecondDevices() {
        host.ops().disable("vector");
        KernelSet.Builder all = KernelSet.builder();
        for (Op<?> op : host.ops().ops()) {
            put(all, op);
        }
        kernels = all.build();
    }

    private <K> void put(KernelSet.Builder all, Op<K> op) {
        try (OpLease<K> lease = host.ops().acquire(op, CPU)) {
            all.put(op, lease.kernel());
        }
    }

    /** All kernels of the CPU's vt-native. */
    KernelSet kernels() {
        return kernels;
    }

    /** The device's own kernels under the name that a backend's own have. */
    DoubleProvider provider(DeviceDouble device) {
        return new DoubleProvider(OpProvider.NATIVE, 0, device, kernels);
    }

    /** The names of the ops, for tests that are made for each. */
    List<Op<?>> ops() {
        return List.copyOf(kernels.asMap().keySet());
    }

    @Override
    public void close() {
        host.close();
    }
}
