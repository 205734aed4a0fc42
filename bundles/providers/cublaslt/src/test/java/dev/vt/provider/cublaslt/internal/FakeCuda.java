package dev.vt.provider.cublaslt.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Backend;
import dev.vt.api.device.DeviceType;
import dev.vt.registry.VtRuntime;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The driver that stands in for NVIDIA's in the tests of the CUDA backend, and a cuBLASLt of C beside it, compiled once a process. Tests steer
 * them and ask what they saw. One test at a time.
 */
final class FakeCuda implements AutoCloseable {
    private static final Path BACKEND = Path.of("../../backends/cuda/src/test/c");

    /** Compiled when the first test asks; the folder goes with the process. */
    private static final class Compiled {
        static final Path FOLDER = folder();
        static final Path DRIVER = compile(BACKEND.resolve("fakecuda.c"), "libcuda.so.1");
        static final Path NVRTC = compile(BACKEND.resolve("fakenvrtc.c"), "libnvrtc.so.13");
        static final Path LIBRARY =
                compile(Path.of("src/test/c/fakecublaslt.c"), "libcublasLt.so.13", DRIVER.toString(), "-lm");
        static final SymbolLookup SYMBOLS = SymbolLookup.libraryLookup(DRIVER, Arena.global());

        private static Path folder() {
            try {
                Path folder = Files.createTempDirectory("vt-fake-cublaslt");
                folder.toFile().deleteOnExit();
                return folder;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Path compile(Path source, String library, String... more) {
            Path out = FOLDER.resolve(library);
            out.toFile().deleteOnExit();
            List<String> line = new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-O1", "-Wl,-soname," + library));
            line.addAll(List.of("-o", out.toString(), source.toString(), "-lpthread", "-ldl"));
            line.addAll(List.of(more));
            try {
                assertEquals(0, new ProcessBuilder(line).inheritIO().start().waitFor(), () -> String.join(" ", line));
            } catch (IOException e) {
                throw new AssertionError("this test compiles a small library: install gcc", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
            return out;
        }
    }

    private Arena arena = Arena.ofShared();
    private SymbolLookup library;
    private final List<VtRuntime> open = new ArrayList<>();

    /** Both in their first state. */
    FakeCuda(Path cache) {
        System.setProperty("vt.cuda.library", Compiled.DRIVER.toString());
        System.setProperty("vt.nvrtc.library", Compiled.NVRTC.toString());
        System.setProperty("vt.cublaslt.library", Compiled.LIBRARY.toString());
        System.setProperty("vt.cuda.cache", cache.toString());
        library = SymbolLookup.libraryLookup(Compiled.LIBRARY, arena);
        invoke(Compiled.SYMBOLS, "fake_reset", null);
        invoke(library, "lt_reset", null);
    }

    static Path library() {
        return Compiled.LIBRARY;
    }

    /** A device, which {@link #close} closes. */
    Backend device() {
        VtRuntime runtime = VtRuntime.load(Map.of("disabled", CublasLtProvider.NAME));
        open.add(runtime);
        return runtime.backends().get(DeviceType.CUDA);
    }

    /** Work stays in its stream until somebody waits for it. */
    void hold() {
        invoke(Compiled.SYMBOLS, "fake_hold", null, 1);
    }

    /** Work is done, what is there already and what comes. */
    void go() {
        invoke(Compiled.SYMBOLS, "fake_hold", null, 0);
    }

    void memory(long bytes) {
        invoke(Compiled.SYMBOLS, "fake_memory", null, bytes, bytes);
    }

    long used() {
        return (long) invoke(Compiled.SYMBOLS, "fake_used", ValueLayout.JAVA_LONG);
    }

    /** The n-th call of a function of cuBLASLt from now on gives a code. */
    void fail(String function, int n, int code) {
        invoke(library, "lt_fail", null, arena.allocateFrom(function), n, code);
    }

    void version(long version) {
        invoke(library, "lt_version", null, version);
    }

    /** Products that were given to a stream. */
    int products() {
        return (int) invoke(library, "lt_products", ValueLayout.JAVA_INT);
    }

    /** Scratch memory of the last one. */
    int scratch() {
        return (int) invoke(library, "lt_scratch", ValueLayout.JAVA_INT);
    }

    int handles() {
        return live(0);
    }

    /** Operations, of which each plan has one. */
    int plans() {
        return live(1);
    }

    int layouts() {
        return live(2);
    }

    private int live(int kind) {
        return (int) invoke(library, "lt_live", ValueLayout.JAVA_INT, kind);
    }

    /** Nothing wrong was seen, and nothing of cuBLASLt is left. */
    void assertClean() {
        assertEquals("", text(Compiled.SYMBOLS, "fake_breach"));
        assertEquals("", text(library, "lt_breach"));
        for (int kind = 0; kind < 4; kind++) {
            assertEquals(0, live(kind), "objects of kind " + kind);
        }
    }

    /** cuBLASLt in its first state. */
    void forget() {
        invoke(library, "lt_reset", null);
    }

    void closeDevices() {
        open.forEach(VtRuntime::close);
        open.clear();
    }

    /** The test holds the library no more, so that it may go; {@link #takeAgain} undoes it. */
    void letGo() {
        arena.close();
    }

    void takeAgain() {
        arena = Arena.ofShared();
        library = SymbolLookup.libraryLookup(Compiled.LIBRARY, arena);
    }

    /** Closes the devices, and lets go of the library. */
    @Override
    public void close() {
        go();
        closeDevices();
        arena.close();
    }

    private static String text(SymbolLookup symbols, String name) {
        MemorySegment at = (MemorySegment) invoke(symbols, name, ValueLayout.ADDRESS);
        return at.reinterpret(Long.MAX_VALUE).getString(0);
    }

    private static Object invoke(SymbolLookup symbols, String name, MemoryLayout result, Object... arguments) {
        MemoryLayout[] types = new MemoryLayout[arguments.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = arguments[i] instanceof Integer
                    ? ValueLayout.JAVA_INT
                    : arguments[i] instanceof Long ? ValueLayout.JAVA_LONG : ValueLayout.ADDRESS;
        }
        FunctionDescriptor type =
                result == null ? FunctionDescriptor.ofVoid(types) : FunctionDescriptor.of(result, types);
        try {
            return Linker.nativeLinker()
                    .downcallHandle(symbols.find(name).orElseThrow(), type)
                    .invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(name, e);
        }
    }
}
