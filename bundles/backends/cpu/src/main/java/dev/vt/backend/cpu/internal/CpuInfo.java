package dev.vt.backend.cpu.internal;

import dev.vt.backend.cpu.CpuFeatures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the processor is called and can do. On Linux the kernel says it; elsewhere it follows from the architecture and
 * from the width of vector that the Java runtime prefers.
 *
 * @param model the vendor's name of the processor, or the name of the architecture
 * @param features bits of {@link CpuFeatures}
 */
public record CpuInfo(String model, long features) {
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");

    private static final Map<String, CpuFeatures> X86 = Map.ofEntries(
            Map.entry("sse4_2", CpuFeatures.SSE4_2),
            Map.entry("avx", CpuFeatures.AVX),
            Map.entry("f16c", CpuFeatures.F16C),
            Map.entry("fma", CpuFeatures.FMA),
            Map.entry("avx2", CpuFeatures.AVX2),
            Map.entry("avx512f", CpuFeatures.AVX512F),
            Map.entry("avx512bw", CpuFeatures.AVX512BW),
            Map.entry("avx512vl", CpuFeatures.AVX512VL),
            Map.entry("avx512_vnni", CpuFeatures.AVX512_VNNI),
            Map.entry("avx512_bf16", CpuFeatures.AVX512_BF16),
            Map.entry("avx512_fp16", CpuFeatures.AVX512_FP16),
            Map.entry("amx_int8", CpuFeatures.AMX_INT8),
            Map.entry("amx_bf16", CpuFeatures.AMX_BF16));

    private static final Map<String, CpuFeatures> ARM = Map.of(
            "asimd", CpuFeatures.NEON,
            "asimddp", CpuFeatures.NEON_DOTPROD,
            "i8mm", CpuFeatures.NEON_I8MM,
            "bf16", CpuFeatures.NEON_BF16,
            "sve", CpuFeatures.SVE);

    /** What this machine has. */
    public static CpuInfo read() {
        String arch = System.getProperty("os.arch", "unknown");
        CpuInfo info = readLinux(arch).orElseGet(() -> baseline(arch, preferredVectorBits()));
        return vectorModule().isPresent()
                ? new CpuInfo(info.model, info.features | CpuFeatures.VECTOR_API.mask())
                : info;
    }

    private static Optional<CpuInfo> readLinux(String arch) {
        if (!Files.isReadable(CPUINFO)) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse(Files.readString(CPUINFO), arch));
        } catch (IOException e) {
            // A sandbox may list the file and refuse to read it; the baseline is right then, only coarser.
            return Optional.empty();
        }
    }

    /** Reads the text of Linux's cpuinfo; the first processor stands for all. */
    static CpuInfo parse(String text, String arch) {
        boolean arm = arch.equals("aarch64");
        Set<String> flags = Set.copyOf(
                List.of(value(text, arm ? "Features" : "flags").orElse("").split("\\s+")));
        long bits = 0;
        for (Map.Entry<String, CpuFeatures> known : (arm ? ARM : X86).entrySet()) {
            if (flags.contains(known.getKey())) {
                bits |= known.getValue().mask();
            }
        }
        return new CpuInfo(value(text, "model name").orElse(arch), bits);
    }

    /** What an architecture has at least; a runtime that prefers wide vectors has found wide registers. */
    static CpuInfo baseline(String arch, int vectorBits) {
        long bits = 0;
        if (arch.equals("aarch64")) {
            bits |= CpuFeatures.NEON.mask();
        } else if (arch.equals("amd64") || arch.equals("x86_64")) {
            if (vectorBits >= 256) {
                bits |= CpuFeatures.SSE4_2.mask() | CpuFeatures.AVX.mask() | CpuFeatures.AVX2.mask();
            }
            if (vectorBits >= 512) {
                bits |= CpuFeatures.AVX512F.mask();
            }
        }
        return new CpuInfo(arch, bits);
    }

    private static Optional<String> value(String text, String key) {
        return text.lines()
                .filter(line -> line.startsWith(key))
                .filter(line -> line.indexOf(':') >= 0
                        && line.substring(0, line.indexOf(':')).strip().equals(key))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst();
    }

    private static Optional<Module> vectorModule() {
        return ModuleLayer.boot().findModule("jdk.incubator.vector");
    }

    /** By reflection, so that this bundle starts without the incubating module too. */
    private static int preferredVectorBits() {
        return vectorModule().map(CpuInfo::preferredVectorBits).orElse(0);
    }

    private static int preferredVectorBits(Module module) {
        try {
            Class<?> shape = Class.forName(module, "jdk.incubator.vector.VectorShape");
            Object preferred =
                    shape == null ? null : shape.getMethod("preferredShape").invoke(null);
            return preferred == null
                    ? 0
                    : (int) shape.getMethod("vectorBitSize").invoke(preferred);
        } catch (ReflectiveOperationException e) {
            return 0;
        }
    }
}
