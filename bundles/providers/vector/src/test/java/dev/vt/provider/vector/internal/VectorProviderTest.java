package dev.vt.provider.vector.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.CpuFeatures;
import dev.vt.ops.OpTable;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class VectorProviderTest {
    private final VectorProvider provider = new VectorProvider();

    private boolean supports(boolean valid, CpuFeatures... features) {
        long bits = 0;
        for (CpuFeatures f : features) {
            bits |= f.mask();
        }
        return provider.supports(new ProviderCaps(Device.of(DeviceType.CPU), valid, 0, 0, 2, bits));
    }

    @Test
    @DisplayName("S5 eligible with the vector module and one of AVX2, AVX-512F and NEON, once caps are valid")
    void caps() {
        for (CpuFeatures wide : Set.of(CpuFeatures.AVX2, CpuFeatures.AVX512F, CpuFeatures.NEON)) {
            assertTrue(supports(true, wide, CpuFeatures.VECTOR_API));
            assertFalse(supports(true, wide));
            assertFalse(supports(false, wide, CpuFeatures.VECTOR_API));
        }
        assertFalse(supports(true, CpuFeatures.VECTOR_API, CpuFeatures.AVX, CpuFeatures.SSE4_2));
        assertTrue(provider.requirement().contains("jdk.incubator.vector"));
    }

    @Test
    @DisplayName("S10 name, priority, device and ops of the provider; ServiceLoader finds it")
    void identity() {
        assertEquals("vector", provider.name());
        assertEquals(10, provider.priority());
        assertEquals(DeviceType.CPU, provider.deviceType());
        assertEquals(
                Set.of(OpTable.MATMUL, OpTable.MATMUL_BT, OpTable.MATMUL_BT_QUANT),
                provider.kernels().asMap().keySet());
        assertTrue(VectorProvider.class.getModule().getDescriptor().provides().stream()
                .anyMatch(p -> p.service().equals(OpProvider.class.getName())
                        && p.providers().contains(VectorProvider.class.getName())));
    }
}
