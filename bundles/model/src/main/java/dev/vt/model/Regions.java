package dev.vt.model;

import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;

/**
 * Places tensors one after the other in a block that is still to be allocated, each aligned to 64 bytes. One thread at
 * a time.
 */
final class Regions {
    private static final long ALIGNMENT = 64;

    private long size;

    /** Reserves room for a tensor; gives its byte offset. */
    long add(DType dtype, long... shape) {
        long offset = size;
        long bytes = Tensor.bytes(dtype, shape);
        size = Math.addExact(offset, Math.multiplyExact(Math.ceilDiv(bytes, ALIGNMENT), ALIGNMENT));
        return offset;
    }

    /** Bytes of all regions together. */
    long size() {
        return size;
    }
}
