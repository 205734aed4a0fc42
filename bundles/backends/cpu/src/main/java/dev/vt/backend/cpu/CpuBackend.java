package dev.vt.backend.cpu;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.api.device.Memory;
import dev.vt.api.device.MemoryUse;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.device.Queue;
import dev.vt.backend.cpu.internal.CpuDevice;
import dev.vt.backend.cpu.internal.CpuInfo;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * The processor as device {@code cpu:0}. Its queues are real: each has a thread of its own, and work is done after the
 * call that asked for it. The framework makes and closes it, or whoever calls the constructor; any thread may call it.
 * Closing finishes the queues, then frees all memory, then ends the threads.
 *
 * <p>Details that the general contract leaves open: {@link #download} into a segment of a confined arena waits until
 * the bytes are there; a closed block is freed before {@code close()} returns, except inside a task, where it is freed
 * once the queues have done what they had accepted; recording an event, waiting for one and synchronizing are refused
 * during a capture. An upload from a segment that is not copied (native, shared or global) reads it anew in every
 * replay.
 */
@Component(service = Backend.class)
public final class CpuBackend implements Backend, AutoCloseable {
    private final CpuInfo info = CpuInfo.read();
    private final CpuDevice device;

    /** A backend that uses all processors. */
    public CpuBackend() {
        this(Runtime.getRuntime().availableProcessors());
    }

    /**
     * A backend whose tasks spread over so many threads.
     *
     * @param parallelism 1 or more
     */
    public CpuBackend(int parallelism) {
        device = new CpuDevice(parallelism);
    }

    @Override
    public Device device() {
        return CpuDevice.DEVICE;
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public String description() {
        return info.model();
    }

    @Override
    public String id() {
        return "cpu";
    }

    @Override
    public ProviderCaps caps() {
        return new ProviderCaps(device(), true, 0, 0, device.parallelism(), info.features());
    }

    @Override
    public List<String> featureNames() {
        return CpuFeatures.names(info.features());
    }

    @Override
    public boolean unifiedMemory() {
        return true;
    }

    @Override
    public boolean hostAddressable() {
        return true;
    }

    @Override
    public boolean supportsGraphCapture() {
        return true;
    }

    @Override
    public Memory allocate(long bytes) {
        return device.allocate(bytes);
    }

    /**
     * Ordinary memory: no transfer goes around the processor here, so there is nothing to lock pages for. Not a
     * fallback.
     */
    @Override
    public Memory allocatePinned(long bytes) {
        return device.allocate(bytes);
    }

    /** Wraps native and mapped segments of shared, automatic and global arenas; empty for all others. */
    @Override
    public Optional<Memory> importHost(MemorySegment segment) {
        return device.importHost(segment);
    }

    @Override
    public void memset(Queue queue, Memory memory, long offset, byte value, long bytes) {
        device.memset(queue, memory, offset, value, bytes);
    }

    @Override
    public void copy(Queue queue, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {
        device.copy(queue, to, toOffset, from, fromOffset, bytes);
    }

    @Override
    public void upload(Queue queue, Memory to, long toOffset, MemorySegment from) {
        device.upload(queue, to, toOffset, from);
    }

    @Override
    public void download(Queue queue, MemorySegment to, Memory from, long fromOffset) {
        device.download(queue, to, from, fromOffset);
    }

    @Override
    public CpuQueue createQueue() {
        return device.createQueue();
    }

    @Override
    public Event createEvent(boolean blocking) {
        return device.createEvent(blocking);
    }

    @Override
    public void drain() {
        device.drain();
    }

    @Override
    public MemoryUse memoryUse() {
        return device.memoryUse();
    }

    @Override
    @Deactivate
    public void close() {
        device.close();
    }
}
