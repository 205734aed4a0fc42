package dev.vt.backend.cuda.internal.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.vt.api.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The driver's function that describes a matrix to the copy engine of compute capability 9.0. It computes on the host and
 * looks at no memory of the device, but wants a context to be current. Stateless; any thread may call it. It allocates nothing.
 */
public final class TensorMaps {
    /** Size of a description. */
    public static final int BYTES = 128;

    /** What the address of a description is a multiple of. */
    public static final int ALIGNMENT = 64;

    /** CUtensorMapDataType of bytes, f16 and bf16. */
    private static final int BYTE = 0;

    private static final int F16 = 6;
    private static final int BF16 = 9;

    /** Always matrices of one more dimension, which counts them. */
    private static final int RANK = 3;

    private static final int NO_INTERLEAVE = 0;
    private static final int SWIZZLE_128_BYTES = 3;
    private static final int PROMOTE_256_BYTES = 3;
    private static final int ZEROS_OUTSIDE = 0;

    // Pointers are passed as numbers, so that a call makes no object.
    private static final FunctionDescriptor TYPE = FunctionDescriptor.of(
            JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT,
            JAVA_INT, JAVA_INT, JAVA_INT);

    private final MethodHandle function;

    private TensorMaps(MethodHandle function) {
        this.function = function;
    }

    /** The function, where the driver has it and it does what is wanted of it here. */
    static Optional<TensorMaps> of(DriverLibrary library) {
        return library.function("cuTensorMapEncodeTiled", TYPE)
                .map(TensorMaps::new)
                .filter(TensorMaps::works);
    }

    private boolean works() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment map = arena.allocate(BYTES, ALIGNMENT);
            MemorySegment dims = arena.allocateFrom(JAVA_LONG, 64, 64, 1);
            MemorySegment strides = arena.allocateFrom(JAVA_LONG, 128, 64 * 128);
            MemorySegment box = arena.allocateFrom(JAVA_INT, 64, 64, 1);
            MemorySegment steps = arena.allocateFrom(JAVA_INT, 1, 1, 1);
            // Any address will do: nothing is read.
            return encode(
                            map.address(),
                            DType.BF16,
                            1 << 20,
                            dims.address(),
                            strides.address(),
                            box.address(),
                            steps.address())
                    == CudaCode.SUCCESS;
        }
    }

    /**
     * Describes matrices of i8, f16 or bf16. All but {@code address} are addresses of host memory.
     *
     * @param map where the description goes
     * @param type of their elements
     * @param address of the first element
     * @param dims three longs: elements of a row, rows, matrices
     * @param strides two longs: bytes from row to row, and from matrix to matrix
     * @param box three integers: what one copy takes of each dimension
     * @param steps three integers, all 1
     * @return CUDA's code
     */
    public int encode(long map, DType type, long address, long dims, long strides, long box, long steps) {
        try {
            return (int) function.invokeExact(
                    map,
                    type == DType.BF16 ? BF16 : type == DType.F16 ? F16 : BYTE,
                    RANK,
                    address,
                    dims,
                    strides,
                    box,
                    steps,
                    NO_INTERLEAVE,
                    SWIZZLE_128_BYTES,
                    PROMOTE_256_BYTES,
                    ZEROS_OUTSIDE);
        } catch (Throwable e) {
            throw new IllegalStateException("cuTensorMapEncodeTiled could not be called", e);
        }
    }
}
