package dev.vt.backend.cpu.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.backend.cpu.CpuFeatures;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CpuInfoTest {
    @Test
    @DisplayName("S6 features of an x86-64 processor are read from Linux's cpuinfo, whole words only")
    void x86() {
        CpuInfo info = CpuInfo.parse("""
            processor\t: 0
            model\t\t: 143
            model name\t: Some Processor 9000
            flags\t\t: fpu sse4_2 avx f16c fma avx2 avx512fx avx512_vnni
            vmx flags\t: avx512f

            processor\t: 1
            flags\t\t: amx_int8
            """, "amd64");
        assertEquals("Some Processor 9000", info.model());
        assertEquals(
                List.of("sse4_2", "avx", "f16c", "fma", "avx2", "avx512_vnni"), CpuFeatures.names(info.features()));
    }

    @Test
    @DisplayName("S6 features of a 64-bit ARM processor are read from Linux's cpuinfo")
    void arm() {
        CpuInfo info = CpuInfo.parse("Features\t: fp asimd asimddp i8mm bf16 sve\n", "aarch64");
        assertEquals("aarch64", info.model());
        assertEquals(
                List.of("neon", "neon_dotprod", "neon_i8mm", "neon_bf16", "sve"), CpuFeatures.names(info.features()));
    }

    @Test
    @DisplayName("S6 without cpuinfo the architecture and the width of vectors decide")
    void elsewhere() {
        assertEquals(
                List.of("neon"),
                CpuFeatures.names(CpuInfo.baseline("aarch64", 128).features()));
        assertEquals(List.of(), CpuFeatures.names(CpuInfo.baseline("amd64", 128).features()));
        assertEquals(
                List.of("sse4_2", "avx", "avx2"),
                CpuFeatures.names(CpuInfo.baseline("amd64", 256).features()));
        assertTrue(CpuFeatures.names(CpuInfo.baseline("x86_64", 512).features()).contains("avx512f"));
        assertEquals(
                List.of(), CpuFeatures.names(CpuInfo.baseline("riscv64", 512).features()));
        assertEquals("", CpuInfo.parse("nothing\n", "amd64").model().replace("amd64", ""));
    }
}
