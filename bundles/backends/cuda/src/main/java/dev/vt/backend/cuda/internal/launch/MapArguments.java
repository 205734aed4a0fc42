package dev.vt.backend.cuda.internal.launch;

import dev.vt.api.tensor.DType;
import dev.vt.backend.cuda.internal.driver.TensorMaps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Room for descriptions of the matrices of one launch, and for what the driver makes them from. The launch owns it. */
final class MapArguments {
    /** More than any kernel here takes. */
    private static final int MAPS = 2;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    private final TensorMaps driver;
    private final MemorySegment maps;
    private final MemorySegment dims;
    private final MemorySegment strides;
    private final MemorySegment box;
    private final MemorySegment steps;
    private int count;

    MapArguments(TensorMaps driver, Arena arena) {
        this.driver = driver;
        this.maps = arena.allocate((long) MAPS * TensorMaps.BYTES, TensorMaps.ALIGNMENT);
        this.dims = arena.allocate(LONG, 3);
        this.strides = arena.allocate(LONG, 2);
        this.box = arena.allocateFrom(INT, 1, 1, 1);
        this.steps = arena.allocateFrom(INT, 1, 1, 1);
    }

    /** Starts anew; whether there were any since the last time. */
    boolean begin() {
        boolean any = count > 0;
        count = 0;
        return any;
    }

    MapArguments shape(long rowElements, long rows, long matrices) {
        dims.setAtIndex(LONG, 0, rowElements);
        dims.setAtIndex(LONG, 1, rows);
        dims.setAtIndex(LONG, 2, matrices);
        return this;
    }

    MapArguments strides(long rowBytes, long matrixBytes) {
        strides.setAtIndex(LONG, 0, rowBytes);
        strides.setAtIndex(LONG, 1, matrixBytes);
        return this;
    }

    /** Address of the finished description, or 0 when the driver can't make it. */
    long make(DType type, long address, int boxElements, int boxRows) {
        box.setAtIndex(INT, 0, boxElements);
        box.setAtIndex(INT, 1, boxRows);
        long at = maps.address() + (long) TensorMaps.BYTES * count++;
        int code = driver.encode(at, type, address, dims.address(), strides.address(), box.address(), steps.address());
        return code == 0 ? at : 0;
    }
}
