package dev.vt.provider.cublaslt.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.spi.OpProvider;
import dev.vt.ops.OpTable;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the provider says about itself, and which libraries it takes. */
class ProviderTest {
    private static final ProviderCaps HOPPER = caps(true, 9, 0);

    @TempDir
    Path cache;

    private FakeCuda fake;

    @BeforeEach
    void start() {
        fake = new FakeCuda(cache);
    }

    @AfterEach
    void end() {
        fake.assertClean();
        fake.close();
    }

    private static ProviderCaps caps(boolean valid, int major, int minor) {
        return new ProviderCaps(Device.of(DeviceType.CUDA), valid, major, minor, 132, 0);
    }

    @Test
    @DisplayName("S10 name, priority, device and ops of the provider; ServiceLoader finds it")
    void identity() {
        try (CublasLtProvider provider = new CublasLtProvider()) {
            assertEquals("cublaslt", provider.name());
            assertEquals(100, provider.priority());
            assertEquals(DeviceType.CUDA, provider.deviceType());
            assertEquals(
                    Set.of(
                            OpTable.MATMUL,
                            OpTable.MATMUL_BT,
                            OpTable.BATCHED_MATMUL,
                            OpTable.MATMUL_FP8_CUTLASS,
                            OpTable.MATMUL_FP8_CUBLASLT),
                    provider.kernels().asMap().keySet());
        }
        assertTrue(CublasLtProvider.class.getModule().getDescriptor().provides().stream()
                .anyMatch(p -> p.service().equals(OpProvider.class.getName())
                        && p.providers().contains(CublasLtProvider.class.getName())));
    }

    @Test
    @DisplayName("S5 eligible on compute capability 7.5 and up once caps are valid, where the library is there")
    void supports() {
        try (CublasLtProvider provider = new CublasLtProvider()) {
            assertTrue(provider.supports(HOPPER));
            assertTrue(provider.supports(caps(true, 7, 5)));
            assertFalse(provider.supports(caps(true, 7, 0)));
            assertFalse(provider.supports(caps(false, 9, 0)));
        }
    }

    @Test
    @DisplayName("S5 without the library the provider is there and refused, and the reason names the property")
    void missing() {
        System.setProperty("vt.cublaslt.library", "/nowhere/libcublasLt.so.13");
        try (CublasLtProvider provider = new CublasLtProvider()) {
            assertFalse(provider.supports(HOPPER));
            assertEquals(
                    "compute capability 7.5 and the library of cuBLASLt, version 12 or 13 (vt.cublaslt.library names"
                            + " it)",
                    provider.requirement());
        }
    }

    @Test
    @DisplayName("S5 a library of another version, or another library, is named with what is wrong")
    void wrong() {
        fake.version(111_103);
        try (CublasLtProvider provider = new CublasLtProvider()) {
            assertFalse(provider.supports(HOPPER));
            assertTrue(provider.requirement().endsWith("libcublasLt.so.13 is version 11.11.3"), provider.requirement());
        }
        System.setProperty("vt.cublaslt.library", System.getProperty("vt.cuda.library"));
        try (CublasLtProvider provider = new CublasLtProvider()) {
            assertFalse(provider.supports(HOPPER));
            assertTrue(provider.requirement().contains(" has no function cublasLt"), provider.requirement());
        }
    }
}
