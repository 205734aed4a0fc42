package dev.vt.backend.cuda.internal.launch;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.backend.cuda.CudaLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** NVIDIA's run-time compiler for CUDA C. Any thread may call it; one at a time compiles. */
final class Nvrtc implements AutoCloseable {
    private final CudaLibrary library;
    private final Linker linker = Linker.nativeLinker();
    private final String version;
    private final int[] capabilities;

    Nvrtc(CudaLibrary library) {
        this.library = library;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 2);
            check(call("nvrtcVersion", numbers, numbers.asSlice(4)), "nvrtcVersion");
            version = numbers.get(JAVA_INT, 0) + "." + numbers.get(JAVA_INT, 4);
            MemorySegment count = arena.allocate(JAVA_INT);
            check(call("nvrtcGetNumSupportedArchs", count), "nvrtcGetNumSupportedArchs");
            MemorySegment all = arena.allocate(JAVA_INT, count.get(JAVA_INT, 0));
            check(call("nvrtcGetSupportedArchs", all), "nvrtcGetSupportedArchs");
            capabilities = all.toArray(JAVA_INT);
        }
    }

    /** Version and place, so that what another compiler made is not taken for this one's. */
    String version() {
        return version;
    }

    /**
     * What to compile for: the device itself, or, for a device that this NVRTC does not know yet, the newest virtual one below
     * it, which the driver translates. What is specific to the device runs on no other, so there it must be known.
     */
    String target(int capability, boolean specific) {
        if (specific || Arrays.stream(capabilities).anyMatch(c -> c == capability)) {
            return "sm_" + capability + (specific ? "a" : "");
        }
        int below = Arrays.stream(capabilities)
                .filter(c -> c < capability)
                .max()
                .orElseThrow(() -> VtException.unsupported("NVRTC " + version + " (" + library.path()
                        + ") compiles for compute capability " + Arrays.toString(capabilities) + ", the device has "
                        + capability));
        return "compute_" + below;
    }

    /** Compiles a source to the machine code of a device, or to the text of a virtual one. */
    synchronized byte[] compile(String file, String source, String target) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment holder = arena.allocate(ADDRESS);
            MemorySegment none = MemorySegment.NULL;
            check(
                    call(
                            "nvrtcCreateProgram",
                            holder,
                            arena.allocateFrom(source),
                            arena.allocateFrom(file),
                            0,
                            none,
                            none),
                    "nvrtcCreateProgram");
            MemorySegment program = holder.get(ADDRESS, 0);
            try {
                return compiled(arena, program, file, target);
            } finally {
                call("nvrtcDestroyProgram", holder);
            }
        }
    }

    private byte[] compiled(Arena arena, MemorySegment program, String file, String target) {
        List<String> options =
                List.of("--gpu-architecture=" + target, "--std=c++17", "--device-as-default-execution-space");
        MemorySegment texts = arena.allocate(ADDRESS, options.size());
        for (int i = 0; i < options.size(); i++) {
            texts.setAtIndex(ADDRESS, i, arena.allocateFrom(options.get(i)));
        }
        if (call("nvrtcCompileProgram", program, options.size(), texts) != 0) {
            String log = new String(bytes(arena, program, "ProgramLog"), StandardCharsets.UTF_8).replace("\0", "");
            throw new VtException(
                    ErrorCode.KERNEL_FAILED,
                    "kernels of " + file + " do not compile for " + target + ": " + log.strip());
        }
        return bytes(arena, program, target.startsWith("sm_") ? "CUBIN" : "PTX");
    }

    private byte[] bytes(Arena arena, MemorySegment program, String what) {
        MemorySegment size = arena.allocate(JAVA_LONG);
        check(call("nvrtcGet" + what + "Size", program, size), what);
        MemorySegment bytes = arena.allocate(Math.max(1, size.get(JAVA_LONG, 0)));
        check(call("nvrtcGet" + what, program, bytes), what);
        return bytes.toArray(JAVA_BYTE);
    }

    private void check(int code, String what) {
        if (code != 0) {
            throw new VtException(
                    ErrorCode.KERNEL_FAILED, "NVRTC (" + library.path() + "): " + what + " gives error " + code);
        }
    }

    private int call(String name, Object... arguments) {
        List<MemoryLayout> types = new ArrayList<>();
        for (Object a : arguments) {
            types.add(a instanceof Integer ? JAVA_INT : ADDRESS);
        }
        MemorySegment function = library.function(name)
                .orElseThrow(() -> VtException.unsupported("NVRTC (" + library.path() + ") has no " + name));
        try {
            return (int)
                    linker.downcallHandle(function, FunctionDescriptor.of(JAVA_INT, types.toArray(MemoryLayout[]::new)))
                            .invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(name + " of " + library.path() + " could not be called", e);
        }
    }

    /** Unloads the library. */
    @Override
    public void close() {
        library.close();
    }
}
