package dev.vt.provider.cublaslt.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.vt.api.VtException;
import dev.vt.backend.cuda.CudaLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * cuBLASLt's functions. Pointers and handles are plain numbers, and how to call each kind of function is known for good, so that a call
 * allocates nothing and the library can go and come. Results are cuBLAS's codes. Any thread may call it; a context of the device
 * must be current.
 */
final class Lt implements AutoCloseable {
    private static final MethodHandle VERSION = handle(FunctionDescriptor.of(JAVA_LONG));
    private static final MethodHandle POINTER = handle(code(JAVA_LONG));
    private static final MethodHandle SET = handle(code(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle OPERATION = handle(code(JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle LAYOUT = handle(code(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle HEURISTIC = handle(code(
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
            JAVA_LONG));
    private static final MethodHandle MATMUL = handle(code(
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /** Functions that take one pointer: what they make goes there, or what they end is it. */
    enum One {
        CREATE("cublasLtCreate"),
        DESTROY("cublasLtDestroy"),
        OPERATION_DESTROY("cublasLtMatmulDescDestroy"),
        LAYOUT_DESTROY("cublasLtMatrixLayoutDestroy"),
        PREFERENCE_CREATE("cublasLtMatmulPreferenceCreate"),
        PREFERENCE_DESTROY("cublasLtMatmulPreferenceDestroy");

        private final String function;

        One(String function) {
            this.function = function;
        }
    }

    /** Functions that set an attribute. */
    enum Attribute {
        OPERATION("cublasLtMatmulDescSetAttribute"),
        LAYOUT("cublasLtMatrixLayoutSetAttribute"),
        PREFERENCE("cublasLtMatmulPreferenceSetAttribute");

        private final String function;

        Attribute(String function) {
            this.function = function;
        }
    }

    private final CudaLibrary library;
    private final MemorySegment[] ones = new MemorySegment[One.values().length];
    private final MemorySegment[] attributes = new MemorySegment[Attribute.values().length];
    private final MemorySegment operationCreate;
    private final MemorySegment layoutCreate;
    private final MemorySegment heuristic;
    private final MemorySegment matmul;
    private final long version;

    /** Binds a library that was found; closing unloads it. */
    Lt(CudaLibrary library) {
        this.library = library;
        for (One one : One.values()) {
            ones[one.ordinal()] = function(one.function);
        }
        for (Attribute attribute : Attribute.values()) {
            attributes[attribute.ordinal()] = function(attribute.function);
        }
        operationCreate = function("cublasLtMatmulDescCreate");
        layoutCreate = function("cublasLtMatrixLayoutCreate");
        heuristic = function("cublasLtMatmulAlgoGetHeuristic");
        matmul = function("cublasLtMatmul");
        try {
            version = (long) VERSION.invokeExact(function("cublasLtGetVersion"));
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    private MemorySegment function(String name) {
        return library.function(name)
                .orElseThrow(() -> VtException.unsupported(library.path() + " has no function " + name));
    }

    private static FunctionDescriptor code(MemoryLayout... arguments) {
        return FunctionDescriptor.of(JAVA_INT, arguments);
    }

    private static MethodHandle handle(FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(type);
    }

    /** A call through a handle of the right type throws nothing of its own. */
    private static IllegalStateException impossible(Throwable e) {
        return new IllegalStateException("cuBLASLt could not be called", e);
    }

    /** Such as 130100 for 13.1. */
    long version() {
        return version;
    }

    String versionText() {
        return version / 10_000 + "." + version / 100 % 100 + "." + version % 100;
    }

    int call(One which, long pointer) {
        try {
            return (int) POINTER.invokeExact(ones[which.ordinal()], pointer);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    int set(Attribute what, long object, int attribute, MemorySegment value) {
        try {
            return (int)
                    SET.invokeExact(attributes[what.ordinal()], object, attribute, value.address(), value.byteSize());
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    int createOperation(MemorySegment to, int compute, int scaleType) {
        try {
            return (int) OPERATION.invokeExact(operationCreate, to.address(), compute, scaleType);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    int createLayout(MemorySegment to, int type, long rows, long columns, long leading) {
        try {
            return (int) LAYOUT.invokeExact(layoutCreate, to.address(), type, rows, columns, leading);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Asks for the best algorithm; layout d is that of the result, and of c. */
    int heuristic(
            long handle,
            long operation,
            long a,
            long b,
            long d,
            long preference,
            MemorySegment to,
            MemorySegment count) {
        try {
            return (int) HEURISTIC.invokeExact(
                    heuristic, handle, operation, a, b, d, d, preference, 1, to.address(), count.address());
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Gives a product to a stream. */
    int matmul(long handle, Plan plan, long alpha, long zero, long a, long b, long d, long scratch, long stream) {
        try {
            return (int) MATMUL.invokeExact(
                    matmul,
                    handle,
                    plan.operation(),
                    alpha,
                    a,
                    plan.layoutA(),
                    b,
                    plan.layoutB(),
                    zero,
                    d,
                    plan.layoutD(),
                    d,
                    plan.layoutD(),
                    plan.algorithm(),
                    scratch,
                    plan.scratchBytes(),
                    stream);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Unloads the library. */
    @Override
    public void close() {
        library.close();
    }
}
