package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.AttentionParams;
import dev.vt.ops.kernel.Chain;
import dev.vt.ops.kernel.FusedStep;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeFrequencies;
import dev.vt.ops.kernel.RouterParams;
import dev.vt.ops.kernel.ScaleLayout;
import dev.vt.ops.kernel.StepCode;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CpuKernelsTest {
    private final KernelSet kernels = new CpuNativeProvider().kernels();

    @Test
    @DisplayName("vt-native has a kernel for every op of the table, on every CPU, at priority 0")
    void provider() {
        CpuNativeProvider provider = new CpuNativeProvider();
        assertEquals("vt-native", provider.name());
        assertEquals(0, provider.priority());
        assertEquals(DeviceType.CPU, provider.deviceType());
        assertTrue(provider.supports(ProviderCaps.unknown(Device.of(DeviceType.CPU))));
        assertEquals(new HashSet<>(OpTable.all()), kernels.asMap().keySet());
    }

    @Test
    @DisplayName("in a capture every kernel names every tensor that it was given, and writes nothing")
    void capture() throws ReflectiveOperationException {
        for (Op<?> op : OpTable.all()) {
            Method run = Arrays.stream(op.kernelType().getMethods())
                    .filter(m -> m.getName().equals("run"))
                    .findFirst()
                    .orElseThrow();
            InlineQueue queue = new InlineQueue(InlineQueue.Cut.WHOLE, true);
            List<Tensor> tensors = new ArrayList<>();
            List<Object> arguments = new ArrayList<>(List.of(queue));
            for (Class<?> type : Arrays.copyOfRange(run.getParameterTypes(), 1, run.getParameterCount())) {
                arguments.add(argument(type, tensors));
            }
            assertEquals(Outcome.SERVED, run.invoke(kernels.asMap().get(op), arguments.toArray()), op.name());
            assertEquals(Set.copyOf(tensors), Set.copyOf(queue.used), op.name());
            for (Tensor t : tensors) {
                for (byte b : t.segment().toArray(ValueLayout.JAVA_BYTE)) {
                    assertEquals(HostBlock.PATTERN, b, op.name());
                }
            }
        }
    }

    private static @Nullable Object argument(Class<?> type, List<Tensor> tensors) {
        if (type == Tensor.class) {
            tensors.add(Data.empty(DType.F32, 0, 0, 1, 1, 4, 4));
            return tensors.getLast();
        }
        if (type == RopeFrequencies.class) {
            return RopeFrequencies.of(10000, 4);
        }
        if (type == MropeSections.class) {
            return null;
        }
        if (type == AttentionParams.class) {
            return AttentionParams.causal(1);
        }
        if (type == ScaleLayout.class) {
            return ScaleLayout.LINEAR;
        }
        if (type == Chain.class) {
            return new Chain(List.of(FusedStep.of(StepCode.ADD, Chain.OUT, Chain.X, Chain.X)), List.of());
        }
        if (type == int.class) {
            return 1;
        }
        if (type == RouterParams.class) {
            return RouterParams.softmax(true);
        }
        if (type == long.class) {
            return 3L;
        }
        return type == boolean.class ? (Object) false : type == double.class ? (Object) 2.0 : (Object) 1f;
    }
}
