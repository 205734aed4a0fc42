package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Backend;
import dev.vt.api.registry.BackendStatus;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.CRC32;

/**
 * The driver of src/test/c, compiled once a process, since JCuda's library is bound to it for good. Tests steer it and ask
 * it what it saw. One test at a time.
 */
final class FakeDriver {
    /** What {@link #live} counts. */
    enum Kind {
        STREAMS,
        EVENTS,
        GRAPHS,
        EXECS,
        MODULES,
        CONTEXTS
    }

    /** Compiled when the first test asks; the folder goes with the process. */
    private static final class Compiled {
        static final Path FOLDER = folder();
        static final Path DRIVER = compile("fakecuda.c", "libcuda.so.1");
        static final Path NVRTC = compile("fakenvrtc.c", "libnvrtc.so.13");
        static final SymbolLookup SYMBOLS = SymbolLookup.libraryLookup(DRIVER, Arena.global());
        static final SymbolLookup COMPILER = SymbolLookup.libraryLookup(NVRTC, Arena.global());

        private static Path folder() {
            try {
                Path folder = Files.createTempDirectory("vt-fake-cuda");
                folder.toFile().deleteOnExit();
                return folder;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Path compile(String source, String library) {
            Path out = FOLDER.resolve(library);
            out.toFile().deleteOnExit();
            List<String> line = List.of(
                    "gcc",
                    "-shared",
                    "-fPIC",
                    "-O1",
                    "-Wl,-soname," + library,
                    "-o",
                    out.toString(),
                    Path.of("src/test/c", source).toString(),
                    "-lpthread",
                    "-ldl");
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

    final List<BackendStatus> statuses = new CopyOnWriteArrayList<>();
    private final List<Backend> open = new ArrayList<>();
    private final Linker linker = Linker.nativeLinker();

    /** A driver in its first state, and kernels compiled into a folder of the test. */
    FakeDriver(Path cache) {
        System.setProperty("vt.cuda.library", Compiled.DRIVER.toString());
        System.setProperty("vt.nvrtc.library", Compiled.NVRTC.toString());
        System.setProperty("vt.cuda.cache", cache.toString());
        System.setProperty("vt.cuda.ptx", "/nowhere");
        call("fake_reset");
        emulate("");
    }

    /** Kernels are compiled for the host from now on, and launches run them. */
    void emulateKernels() {
        emulate(Path.of("src/test/c/emulate.h").toAbsolutePath().toString());
    }

    private void emulate(String prelude) {
        try (Arena arena = Arena.ofConfined()) {
            invoke(Compiled.COMPILER, linker, "fake_emulate", null, arena.allocateFrom(prelude));
        }
    }

    /**
     * Where kernels that are compiled for the host are kept, for all tests and the next run: compiling takes most of their time. What
     * compiles them has a folder of its own for each of its versions.
     */
    static Path hostKernels() {
        try {
            CRC32 version = new CRC32();
            for (String part : List.of("emulate.h", "fakenvrtc.c")) {
                version.update(Files.readAllBytes(Path.of("src/test/c", part)));
            }
            return Files.createDirectories(Path.of("target", "host-kernels-" + version.getValue()))
                    .toAbsolutePath();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All devices; {@link #close} closes them. */
    List<Backend> find() {
        List<Backend> found = new CudaFinder().find(statuses::add);
        open.addAll(found);
        return found;
    }

    Backend device() {
        return find().getFirst();
    }

    void devices(int n) {
        call("fake_devices", n);
    }

    void version(int v) {
        call("fake_version", v);
    }

    /** The driver describes so many matrices to the copy engine; the first is asked for when a device is opened. */
    void describes(int n) {
        call("fake_describes", n);
    }

    void initCode(int code) {
        call("fake_init_code", code);
    }

    void memory(long bytes, long pinned) {
        call("fake_memory", bytes, pinned);
    }

    /** The n-th call of a function from now on gives a code. */
    void fail(String function, int n, int code) {
        try (Arena arena = Arena.ofConfined()) {
            call("fake_fail", arena.allocateFrom(function), n, code);
        }
    }

    /** Work stays in its stream until somebody waits for it. */
    void hold() {
        call("fake_hold", 1);
    }

    /** Work is done, what is there already and what comes. */
    void go() {
        call("fake_hold", 0);
    }

    int captureMode() {
        return (int) number("fake_capture_mode", false);
    }

    long launches() {
        return number("fake_launches", true);
    }

    String launched() {
        return text("fake_launched");
    }

    long argument(int i) {
        return number("fake_argument", true, i);
    }

    int grid(int i) {
        return (int) number("fake_grid", false, i);
    }

    long used() {
        return number("fake_used", true);
    }

    long pinnedUsed() {
        return number("fake_pinned_used", true);
    }

    /** Bytes of the caller's memory whose pages were locked, all in all. */
    long registered() {
        return number("fake_registered", true);
    }

    int live(Kind kind) {
        return (int) number("fake_live", false, kind.ordinal());
    }

    static int compiled() {
        return (int) invoke(Compiled.COMPILER, Linker.nativeLinker(), "fake_compiled", ValueLayout.JAVA_INT);
    }

    void assertNoBreach() {
        assertEquals("", text("fake_breach"));
    }

    /** Closes what was opened; then nothing may be left. */
    void close() throws Exception {
        go();
        for (Backend backend : open) {
            ((AutoCloseable) backend).close();
        }
        open.clear();
    }

    private void call(String name, Object... arguments) {
        invoke(Compiled.SYMBOLS, linker, name, null, arguments);
    }

    private long number(String name, boolean wide, Object... arguments) {
        Object value =
                invoke(Compiled.SYMBOLS, linker, name, wide ? ValueLayout.JAVA_LONG : ValueLayout.JAVA_INT, arguments);
        return ((Number) value).longValue();
    }

    private String text(String name) {
        MemorySegment at = (MemorySegment) invoke(Compiled.SYMBOLS, linker, name, ValueLayout.ADDRESS);
        return at.reinterpret(Long.MAX_VALUE).getString(0);
    }

    private static Object invoke(
            SymbolLookup symbols, Linker linker, String name, MemoryLayout result, Object... arguments) {
        MemoryLayout[] types = new MemoryLayout[arguments.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = arguments[i] instanceof Integer
                    ? ValueLayout.JAVA_INT
                    : arguments[i] instanceof Long ? ValueLayout.JAVA_LONG : ValueLayout.ADDRESS;
        }
        FunctionDescriptor type =
                result == null ? FunctionDescriptor.ofVoid(types) : FunctionDescriptor.of(result, types);
        try {
            return linker.downcallHandle(symbols.find(name).orElseThrow(), type).invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(name, e);
        }
    }
}
