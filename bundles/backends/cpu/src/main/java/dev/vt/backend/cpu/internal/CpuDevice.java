package dev.vt.backend.cpu.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Event;
import dev.vt.api.device.Memory;
import dev.vt.api.device.MemoryUse;
import dev.vt.api.device.Queue;
import dev.vt.backend.cpu.CpuQueue;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The parts of one CPU backend and the order in which they end: queues first, with what they hold, then memory, then
 * the worker threads. The backend owns it; any thread may call it.
 */
public final class CpuDevice implements AutoCloseable {
    public static final Device DEVICE = Device.of(DeviceType.CPU);

    private final WorkerPool workers;
    private final QueueSet queues;
    private final MemoryPool memories;
    private final Transfers transfers = new Transfers(DEVICE);

    /** Starts the threads. */
    public CpuDevice(int parallelism) {
        if (parallelism < 1) {
            throw VtException.invalidArgument(
                    "backend cpu of " + DEVICE + ": expected a parallelism of 1 or more, given " + parallelism);
        }
        workers = new WorkerPool(parallelism);
        OpenBlocks blocks = new OpenBlocks(DEVICE);
        queues = new QueueSet(DEVICE, workers, blocks);
        memories = new MemoryPool(DEVICE, queues, blocks);
    }

    public int parallelism() {
        return workers.parallelism();
    }

    public Memory allocate(long bytes) {
        return memories.allocate(bytes);
    }

    public Optional<Memory> importHost(MemorySegment segment) {
        return memories.wrap(segment).map(m -> m);
    }

    public void memset(Queue queue, Memory memory, long offset, byte value, long bytes) {
        transfers.memset(queue, memory, offset, value, bytes);
    }

    public void copy(Queue queue, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {
        transfers.copy(queue, to, toOffset, from, fromOffset, bytes);
    }

    public void upload(Queue queue, Memory to, long toOffset, MemorySegment from) {
        transfers.upload(queue, to, toOffset, from);
    }

    public void download(Queue queue, MemorySegment to, Memory from, long fromOffset) {
        transfers.download(queue, to, from, fromOffset);
    }

    public CpuQueue createQueue() {
        return queues.create();
    }

    public Event createEvent(boolean blocking) {
        return new CpuEvent(DEVICE, blocking);
    }

    public void drain() {
        queues.drain();
    }

    public MemoryUse memoryUse() {
        return new MemoryUse(memories.bytes(), memories.blocks(), 0, 0, queues.size());
    }

    @Override
    public void close() {
        queues.close();
        memories.close();
        workers.close();
    }
}
