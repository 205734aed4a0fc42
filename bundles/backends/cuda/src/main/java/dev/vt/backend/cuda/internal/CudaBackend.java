package dev.vt.backend.cuda.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.api.device.Memory;
import dev.vt.api.device.MemoryUse;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.device.Queue;
import dev.vt.backend.cuda.CudaFeatures;
import dev.vt.backend.cuda.internal.driver.DeviceInfo;
import dev.vt.backend.cuda.internal.launch.KernelCompiler;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One CUDA device as a backend. Details that the general contract leaves open: an upload has read its source when it
 * returns, also during a capture, whose graph keeps a copy; a download has waited for its bytes, and is refused during a
 * capture, where {@link #copy} into page-locked memory is recorded; device memory is freed in the order of the queues without
 * anybody waiting, page-locked memory once the queues are done; recording an event, waiting for one, synchronizing and
 * replaying are refused on a queue that captures. A fault of the device is final: every later call is refused with one sentence.
 * {@link CudaFinder} makes it, and whoever asked that for it closes it; any thread may call it.
 */
final class CudaBackend implements Backend, AutoCloseable {
    /** The backend's name. */
    static final String NAME = "cuda";

    private final CudaDevice device;
    private final DeviceInfo info;
    private final ProviderCaps caps;
    private final AtomicBoolean closed = new AtomicBoolean();

    CudaBackend(CudaDevice device, KernelCompiler compiler) {
        this.device = device;
        this.info = device.context().info();
        this.caps = new ProviderCaps(
                device.device(), true, info.major(), info.minor(), info.units(), features(info, compiler));
    }

    private static long features(DeviceInfo info, KernelCompiler compiler) {
        int capability = info.capability();
        return bit(CudaFeatures.NVRTC, compiler.present())
                | bit(CudaFeatures.PREBUILT_KERNELS, compiler.prebuilt())
                | bit(CudaFeatures.MEMORY_POOLS, info.pools())
                | bit(CudaFeatures.TENSOR_CORES, capability >= 70)
                | bit(CudaFeatures.BF16, capability >= 80)
                | bit(CudaFeatures.FP8, capability >= 89)
                | bit(CudaFeatures.CLUSTERS, capability >= 90)
                | bit(CudaFeatures.FP4, capability >= 100)
                | bit(CudaFeatures.INTEGRATED, info.integrated())
                | bit(CudaFeatures.PAGEABLE_ACCESS, info.pageable())
                | bit(CudaFeatures.COOPERATIVE_LAUNCH, info.cooperative());
    }

    private static long bit(CudaFeatures feature, boolean set) {
        return set ? feature.mask() : 0;
    }

    @Override
    public Device device() {
        return device.device();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return info.name();
    }

    @Override
    public String id() {
        return info.uuid();
    }

    @Override
    public ProviderCaps caps() {
        return caps;
    }

    @Override
    public List<String> featureNames() {
        return CudaFeatures.names(caps.features());
    }

    @Override
    public boolean unifiedMemory() {
        return info.integrated();
    }

    @Override
    public boolean hostAddressable() {
        return false;
    }

    @Override
    public Optional<String> hostAddressableNote() {
        return Optional.of("memory of a CUDA device is allocated for the device alone");
    }

    @Override
    public boolean supportsAuxStream() {
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

    @Override
    public Memory allocatePinned(long bytes) {
        return device.allocatePinned(bytes);
    }

    @Override
    public void memset(Queue queue, Memory memory, long offset, byte value, long bytes) {
        device.transfers().memset(queue, memory, offset, value, bytes);
    }

    @Override
    public void copy(Queue queue, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {
        device.transfers().copy(queue, to, toOffset, from, fromOffset, bytes);
    }

    @Override
    public void upload(Queue queue, Memory to, long toOffset, MemorySegment from) {
        device.transfers().upload(queue, to, toOffset, from);
    }

    @Override
    public void download(Queue queue, MemorySegment to, Memory from, long fromOffset) {
        device.transfers().download(queue, to, from, fromOffset);
    }

    @Override
    public Queue createQueue() {
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
    public void close() {
        if (closed.compareAndSet(false, true)) {
            device.close();
        }
    }
}
