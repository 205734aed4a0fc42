package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import java.lang.foreign.MemorySegment;

/** The memory that an operand of addresses points to, for one op's operand. To be asked inside a task. */
record Addresses(CpuQueue queue, String op, String argument, Tensor tensor) {
    /** The bytes at address {@code index}; an error that names the element where there are no such bytes. */
    MemorySegment bytes(long index, long bytes) {
        try {
            return queue.segmentAt(new Ints(tensor).get(index), bytes);
        } catch (VtException e) {
            String where = "op " + op + " on " + tensor.device() + ": " + argument + "[" + index + "]: ";
            throw new VtException(ErrorCode.INVALID_ARGUMENT, where + e.getMessage(), e);
        }
    }
}
