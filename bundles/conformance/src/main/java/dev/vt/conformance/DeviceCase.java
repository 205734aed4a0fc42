package dev.vt.conformance;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Graph;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.conformance.internal.Placement;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.TestCase;
import dev.vt.ops.Ops;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A case with its operands in a device's memory, ready to be called; owns the memory. One thread. A call may be made many
 * times, as benchmarks do; {@link #fill} puts everything back to what it was.
 */
public final class DeviceCase implements AutoCloseable {
    private final TestCase testCase;
    private final Backend backend;
    private final Queue queue;
    private final boolean ownsQueue;
    private final List<Placement> placements = new ArrayList<>();
    private final List<Memory> memories = new ArrayList<>();
    private final Tensor[] tensors;

    /** Places a case on a device, poisoned with 0xff, with a queue of its own. */
    public DeviceCase(TestCase testCase, Backend backend) {
        this(testCase, backend, backend.createQueue(), true);
    }

    /** Places a case on a device; the queue stays the caller's. */
    public DeviceCase(TestCase testCase, Backend backend, Queue queue) {
        this(testCase, backend, queue, false);
    }

    private DeviceCase(TestCase testCase, Backend backend, Queue queue, boolean ownsQueue) {
        this.testCase = testCase;
        this.backend = backend;
        this.queue = queue;
        this.ownsQueue = ownsQueue;
        tensors = new Tensor[testCase.operands().size()];
        try {
            for (Operand o : testCase.operands()) {
                placements.add(new Placement(o, testCase.offset(), testCase.padded()));
                memories.add(backend.allocate(placements.getLast().size()));
                tensors[memories.size() - 1] = placements.getLast().tensor(memories.getLast());
            }
            fill((byte) 0xff);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Puts data and guard bytes in place, and {@code poison} into what is only written; gives the images. */
    public List<byte[]> fill(byte poison) {
        List<byte[]> images = new ArrayList<>();
        for (int i = 0; i < tensors.length; i++) {
            byte[] image = placements.get(i).image(poison);
            Operand.Pointers pointers = testCase.operands().get(i).pointers();
            if (pointers != null) {
                placements.get(i).put(image, addresses(pointers));
            }
            images.add(image);
            backend.upload(queue, memories.get(i), 0, MemorySegment.ofArray(image));
        }
        queue.synchronize();
        return images;
    }

    private byte[] addresses(Operand.Pointers pointers) {
        Tensor target = tensors[testCase.operands().indexOf(pointers.target())];
        long first = target.segment().address() + target.offset();
        long step = target.dtype().rowBytes(target.stride(0));
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.toIntExact(target.dim(0)) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long row = 0; row < target.dim(0); row++) {
            bytes.putLong(pointers.change().applyAsLong(row, first + row * step));
        }
        return bytes.array();
    }

    /** Puts back what a call has written in place; outputs that are only written stay as they are. */
    public void restore() {
        for (int i = 0; i < tensors.length; i++) {
            Operand o = testCase.operands().get(i);
            if (o.data() != null && o.expected() != null) {
                byte[] image = placements.get(i).image((byte) 0);
                backend.upload(queue, memories.get(i), 0, MemorySegment.ofArray(image));
            }
        }
        queue.synchronize();
    }

    /** Overwrites every operand that is not of integers with bytes of no meaning. */
    void scramble() {
        for (int i = 0; i < tensors.length; i++) {
            DType dtype = tensors[i].dtype();
            if (dtype.isFloat() || dtype.isBlock()) {
                byte[] bytes = new byte[placements.get(i).size()];
                Arrays.fill(bytes, (byte) 0x3d);
                backend.upload(queue, memories.get(i), 0, MemorySegment.ofArray(bytes));
            }
        }
        queue.synchronize();
    }

    /** Queues the call. */
    public void call(Ops ops) {
        testCase.call().on(ops, queue, tensors);
    }

    /** Queues the call through a dispatcher. */
    public void call(Dispatcher dispatcher) {
        call(new Ops(dispatcher));
    }

    /** Records the call; the caller closes the graph. */
    public Graph capture(Dispatcher dispatcher) {
        queue.beginCapture();
        try {
            call(dispatcher);
        } catch (RuntimeException e) {
            queue.endCapture().close();
            throw e;
        }
        return queue.endCapture();
    }

    public void replay(Graph graph) {
        graph.replay(queue);
    }

    public void synchronize() {
        queue.synchronize();
    }

    /** The whole blocks as they are now, guard bytes too. */
    public List<byte[]> images() {
        List<byte[]> out = new ArrayList<>();
        for (Memory memory : memories) {
            byte[] bytes = new byte[Math.toIntExact(memory.size())];
            backend.download(queue, MemorySegment.ofArray(bytes), memory, 0);
            out.add(bytes);
        }
        queue.synchronize();
        return out;
    }

    /** How the i-th operand lies in its block. */
    Placement placement(int i) {
        return placements.get(i);
    }

    @Override
    public void close() {
        try {
            memories.forEach(Memory::close);
        } finally {
            if (ownsQueue) {
                queue.close();
            }
        }
    }
}
