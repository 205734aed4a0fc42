package dev.vt.backend.cuda.internal.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The driver's library, called without JCuda: to find out whether there is a driver before a class of JCuda is touched (which
 * could not be undone), and for the few functions that JCuda lacks. The library stays in the process, as it does for JCuda.
 * Stateless; any thread may call it.
 */
public final class DriverLibrary {
    /** System property with the path or name of the driver's library. */
    public static final String PROPERTY = "vt.cuda.library";

    private static final String SONAME = "libcuda.so.1";

    /** CU_MEMPOOL_ATTR_RELEASE_THRESHOLD. */
    private static final int RELEASE_THRESHOLD = 4;

    private final String name;
    private final SymbolLookup symbols;
    private final Linker linker = Linker.nativeLinker();

    private DriverLibrary(String name, SymbolLookup symbols) {
        this.name = name;
        this.symbols = symbols;
    }

    /** The library, or empty where there is none. */
    public static Optional<DriverLibrary> open() {
        String name = System.getProperty(PROPERTY, SONAME);
        try {
            // Global: JCuda's library is bound to this one and is never unloaded either.
            return Optional.of(new DriverLibrary(name, SymbolLookup.libraryLookup(name, Arena.global())));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** What {@link #open} looks for. */
    public static String wanted() {
        return System.getProperty(PROPERTY, SONAME);
    }

    public String name() {
        return name;
    }

    /** Starts the driver; the result is CUDA's code. */
    public int init() {
        return call("cuInit", FunctionDescriptor.of(JAVA_INT, JAVA_INT), 0);
    }

    /** The version of CUDA that the driver serves, such as 13000; 0 if it does not tell. */
    public int version() {
        return number("cuDriverGetVersion");
    }

    /** The number of devices that the driver shows to this process. */
    public int devices() {
        return number("cuDeviceGetCount");
    }

    private int number(String function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            int code = call(function, FunctionDescriptor.of(JAVA_INT, ADDRESS), out);
            return code == 0 ? out.get(JAVA_INT, 0) : 0;
        }
    }

    /**
     * Lets the device's pool keep memory that was freed, so that the next allocation need not ask the system.
     *
     * @param device CUDA's ordinal
     * @param bytes how much may be kept
     * @return CUDA's code
     */
    public int keepFreed(int device, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pool = arena.allocate(ADDRESS);
            int code =
                    call("cuDeviceGetDefaultMemPool", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), pool, device);
            return code != 0
                    ? code
                    : call(
                            "cuMemPoolSetAttribute",
                            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS),
                            pool.get(ADDRESS, 0),
                            RELEASE_THRESHOLD,
                            arena.allocateFrom(JAVA_LONG, bytes));
        }
    }

    /** Gives back memory that the device's pool keeps unused. */
    public void trim(int device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pool = arena.allocate(ADDRESS);
            if (call("cuDeviceGetDefaultMemPool", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), pool, device)
                    == 0) {
                call(
                        "cuMemPoolTrimTo",
                        FunctionDescriptor.of(JAVA_INT, ADDRESS, ValueLayout.JAVA_LONG),
                        pool.get(ADDRESS, 0),
                        0L);
            }
        }
    }

    /** A function by name. */
    Optional<MethodHandle> function(String function, FunctionDescriptor type) {
        return symbols.find(function).map(address -> linker.downcallHandle(address, type));
    }

    /** Calls a function by name; one that this driver lacks answers as CUDA does: not found. */
    private int call(String function, FunctionDescriptor type, Object... arguments) {
        Optional<MethodHandle> handle = function(function, type);
        if (handle.isEmpty()) {
            return CudaCode.NOT_FOUND;
        }
        try {
            return (int) handle.get().invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(function + " of " + name + " could not be called", e);
        }
    }
}
