package dev.vt.natives.jcuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import jcuda.LibUtils;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What can be told without a driver. */
class AddressTest {
    @Test
    @DisplayName("O4.8 addresses go in and come out as they are, above 2 GiB too")
    void addresses() {
        for (long address : new long[] {0, 1, Integer.MAX_VALUE, 1L << 32, 0x7f00_1234_5678_9abcL, -1}) {
            assertEquals(address, DeviceAddress.of(address).address());
            assertEquals(address, HostAddress.of(address).address());
        }
        assertEquals(0, new DeviceAddress().address());
        assertEquals(0, new HostAddress().address());
        assertEquals(0, new StreamHandle().address());
    }

    @Test
    @DisplayName("the library of the driver binding alone is here, with JCuda's licence")
    void contents() throws IOException {
        for (String there :
                new String[] {"/lib/libJCudaDriver-12.6.0-linux-x86_64.so", "/META-INF/jcuda-license.txt"}) {
            try (InputStream in = AddressTest.class.getResourceAsStream(there)) {
                assertNotNull(in, there);
            }
        }
        try (InputStream in = AddressTest.class.getResourceAsStream("/META-INF/jcuda-license.txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(
                    1,
                    text.lines().filter(line -> line.contains("Copyright (c)")).count());
        }
        for (String gone : new String[] {"JNvrtc", "JNvPTXCompiler", "JCudaRuntime"}) {
            assertNull(AddressTest.class.getResource("/lib/lib" + gone + "-12.6.0-linux-x86_64.so"));
        }
    }

    @Test
    @DisplayName(
            "a library that is not here is refused by name, and nothing is taken from a folder for temporary files")
    void unknownLibrary() {
        UnsatisfiedLinkError e = assertThrows(
                UnsatisfiedLinkError.class,
                () -> LibUtils.loadLibrary(LibUtils.createPlatformLibraryName("JNvrtc-12.6.0")));
        assertTrue(e.getMessage().contains("JNvrtc-12.6.0-linux-x86_64"), e.getMessage());
    }
}
