package dev.vt.itests;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Ops;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Code that calls ops: a queue of its own, and tensors of ones for one small product. Knows the public packages alone,
 * never a kernel. Whoever makes it closes it; one thread at a time.
 */
final class Caller implements AutoCloseable {
    /** What every right kernel writes: the inner size, since all factors are one. */
    static final float RIGHT = 64;

    private static final int ROWS = 2;
    private static final int COLUMNS = 3;

    final Queue queue;
    private final List<Memory> memories = new ArrayList<>();
    private final Tensor out;
    private final Tensor a;
    private final Tensor b;

    Caller(Backend backend) {
        queue = backend.createQueue();
        out = tensor(backend, 0, ROWS, COLUMNS);
        a = tensor(backend, 1, ROWS, (int) RIGHT);
        b = tensor(backend, 1, COLUMNS, (int) RIGHT);
    }

    private Tensor tensor(Backend backend, float value, int rows, int columns) {
        Memory memory = backend.allocate(4L * rows * columns);
        memories.add(memory);
        for (int i = 0; i < rows * columns; i++) {
            memory.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
        }
        return Tensor.of(memory, DType.F32, rows, columns);
    }

    /** Queues one call of {@code matmul_bt}. */
    void submit(Ops ops) {
        ops.matmulBt(queue, out, a, b);
    }

    /** Calls {@code matmul_bt}, waits, and returns the value that all elements of the output have. */
    float call(Ops ops) {
        submit(ops);
        queue.synchronize();
        return result();
    }

    /** The value that all elements of the output have. */
    float result() {
        float first = out.segment().getAtIndex(ValueLayout.JAVA_FLOAT, 0);
        for (int i = 1; i < ROWS * COLUMNS; i++) {
            float other = out.segment().getAtIndex(ValueLayout.JAVA_FLOAT, i);
            if (other != first) {
                throw new AssertionError("element 0 is " + first + " and element " + i + " is " + other);
            }
        }
        return first;
    }

    @Override
    public void close() {
        queue.close();
        memories.forEach(Memory::close);
    }
}
