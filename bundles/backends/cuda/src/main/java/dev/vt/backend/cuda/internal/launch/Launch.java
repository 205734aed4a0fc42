package dev.vt.backend.cuda.internal.launch;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import dev.vt.natives.jcuda.HostAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/**
 * One launch in the making. A queue has one of these and its lock is the queue's lock: the arguments are written into a native
 * buffer that is made once, so a launch allocates nothing. Each argument has a slot of eight bytes, and the array of
 * the slots' addresses, which the driver is given, changes only for descriptions of matrices, which have a place of their own.
 */
public final class Launch implements AutoCloseable {
    /** More than any kernel here takes. */
    private static final int SLOTS = 32;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final DeviceContext context;
    private final CUstream stream;
    private final ReentrantLock lock;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment values = arena.allocate(LONG, SLOTS);
    private final MemorySegment addresses = arena.allocate(LONG, SLOTS);
    private final HostAddress parameters;
    private final @Nullable MapArguments maps;
    private @Nullable CUfunction function;
    private int count;
    private long scratch;

    /** The buffer of a queue. */
    public Launch(DeviceContext context, CUstream stream, ReentrantLock lock) {
        this.context = context;
        this.stream = stream;
        this.lock = lock;
        this.parameters = HostAddress.of(addresses.address());
        this.maps = context.maps().map(m -> new MapArguments(m, arena)).orElse(null);
        point();
    }

    private void point() {
        for (int i = 0; i < SLOTS; i++) {
            addresses.setAtIndex(LONG, i, values.address() + LONG.byteSize() * i);
        }
    }

    /** Starts anew; the caller holds the lock. */
    public Launch begin(CUfunction kernel, long faults) {
        function = kernel;
        count = 0;
        if (maps != null && maps.begin()) {
            point();
        }
        return address(faults);
    }

    /** Sets where the queue's scratch memory is; the caller holds the lock. */
    public void lend(long address) {
        scratch = address;
    }

    /** The address of a byte of the scratch memory that was asked for, which is aligned to 256 bytes. */
    public Launch scratch(long offset) {
        return address(scratch + offset);
    }

    /** The address of a tensor's first element. */
    public Launch tensor(Tensor t) {
        return address(t.segment().address() + t.offset());
    }

    /** The address of an element so many elements behind a tensor's first. */
    public Launch element(Tensor t, long index) {
        return address(t.segment().address() + t.offset() + index * t.dtype().blockBytes());
    }

    /** The same as {@link #tensor}, or a null pointer. */
    public Launch optional(@Nullable Tensor t) {
        return t == null ? address(0) : tensor(t);
    }

    /** A pointer or a 64-bit integer. */
    public Launch address(long value) {
        values.setAtIndex(LONG, count++, value);
        return this;
    }

    public Launch i64(long value) {
        return address(value);
    }

    public Launch i32(int value) {
        values.set(ValueLayout.JAVA_INT, LONG.byteSize() * count++, value);
        return this;
    }

    public Launch f32(float value) {
        values.set(ValueLayout.JAVA_FLOAT, LONG.byteSize() * count++, value);
        return this;
    }

    public Launch f64(double value) {
        values.set(ValueLayout.JAVA_DOUBLE, LONG.byteSize() * count++, value);
        return this;
    }

    /**
     * Matrices of i8, f16 or bf16 by value, for the copy engine; only where the queue copies tiles.
     *
     * @param address of the first element; a multiple of 16
     * @param type of their elements
     * @param t what tells their rows and columns
     * @param rowBytes from row to row; a multiple of 16
     * @param matrices how many there are
     * @param step bytes from one to the next; a multiple of 16
     * @param boxElements elements of a row that one copy takes
     * @param boxRows rows that one copy takes
     * @return false when the driver can't describe it: then nothing may be launched
     */
    public boolean matrices(
            long address, DType type, Tensor t, long rowBytes, long matrices, long step, int boxElements, int boxRows) {
        MapArguments to = Objects.requireNonNull(maps, "the device copies no tiles");
        context.enter("launch");
        long made = to.shape(t.lastDim(), t.dim(t.rank() - 2), matrices)
                .strides(rowBytes, step)
                .make(type, address, boxElements, boxRows);
        addresses.setAtIndex(LONG, count++, made);
        return made != 0;
    }

    /** Gives the launch to the stream: so many blocks of so many threads. */
    public void run(long blocks, int threads) {
        run(blocks, 1, threads);
    }

    /** The same on a grid of two dimensions. */
    public void run(long x, long y, int threads) {
        run(x, y, 1, threads, 0);
    }

    /**
     * The same on a grid of three dimensions, with so many bytes of shared memory for each block; more than 48 KiB only as
     * the function was declared with.
     */
    public void run(long x, long y, long z, int threads, int shared) {
        CUfunction kernel = function;
        if (kernel == null) {
            throw new IllegalStateException("launch was not begun");
        }
        context.launch(
                kernel,
                Math.toIntExact(x),
                Math.toIntExact(y),
                Math.toIntExact(z),
                threads,
                shared,
                stream,
                parameters);
    }

    /** Lets other threads use the queue. */
    @Override
    public void close() {
        function = null;
        lock.unlock();
    }

    /** Frees the buffer, once nothing is launched any more. */
    public void free() {
        arena.close();
    }
}
