package dev.vt.itests.jpms;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Selection;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.registry.VtRuntime;
import java.lang.foreign.ValueLayout;

/**
 * Multiplies two small matrices of ones through the runtime, and prints what happened as lines of {@code key=value}.
 */
public final class Main {
    private static final int INNER = 64;

    private Main() {}

    /** Takes no arguments. */
    public static void main(String[] args) {
        try (VtRuntime runtime = VtRuntime.load()) {
            Device cpu = Device.of(DeviceType.CPU);
            System.out.println("named=" + VtRuntime.class.getModule().isNamed());
            System.out.println(
                    "features=" + String.join(",", runtime.backends().get(cpu).featureNames()));
            Selection selection = runtime.ops().explain(OpTable.MATMUL_BT, cpu);
            System.out.println("selected=" + selection.selected());
            selection
                    .chain()
                    .forEach(l -> System.out.println(l.name() + "=" + l.state().label() + " " + l.priority() + " "
                            + l.bundle() + " " + l.version()));
            System.out.println("result=" + product(runtime.backends().get(cpu), new Ops(runtime.ops())));
            System.out.println("digest=" + runtime.ops().digest());
        }
    }

    private static float product(Backend backend, Ops ops) {
        try (Queue queue = backend.createQueue();
                Memory out = backend.allocate(4);
                Memory a = ones(backend);
                Memory b = ones(backend)) {
            ops.matmulBt(
                    queue,
                    Tensor.of(out, DType.F32, 1, 1),
                    Tensor.of(a, DType.F32, 1, INNER),
                    Tensor.of(b, DType.F32, 1, INNER));
            queue.synchronize();
            return out.segment().get(ValueLayout.JAVA_FLOAT, 0);
        }
    }

    private static Memory ones(Backend backend) {
        Memory memory = backend.allocate(4L * INNER);
        for (int i = 0; i < INNER; i++) {
            memory.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, 1);
        }
        return memory;
    }
}
