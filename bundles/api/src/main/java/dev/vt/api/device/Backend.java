package dev.vt.api.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * What owns a device's memory, queues, events and graphs. One service per device; a second one for the same device is ordered
 * like providers are (priority, then name). Any thread may call it. It never chooses kernels.
 */
@ConsumerType
public interface Backend {
    Device device();

    /** What orders two backends of one device: higher wins. */
    default int priority() {
        return 0;
    }

    /** The implementation's name, {@code [a-z0-9.-]}, 1 to 63 characters. */
    String name();

    /** The device's name for people, such as the vendor's product name. */
    String description();

    /** A stable identity of the physical device: a UUID or PCI id; the same for every backend that finds this device. */
    String id();

    ProviderCaps caps();

    /** The names of the feature bits that {@link #caps()} has set, in the order of the bits. */
    List<String> featureNames();

    /** True when host and device share one memory. Says nothing about whether the host can address it. */
    boolean unifiedMemory();

    /** True when the host can read and write this device's memory. */
    boolean hostAddressable();

    /** Why the host can't address the memory, where there is more to say. */
    default Optional<String> hostAddressableNote() {
        return Optional.empty();
    }

    /** True for a device made of software, which is used only when named. */
    default boolean software() {
        return false;
    }

    /** Allocates memory aligned to 64 bytes at least. Zero bytes give a valid, distinct block. */
    Memory allocate(long bytes);

    /** Allocates page-locked host memory, or, where none is left, ordinary memory, counted and said once. */
    Memory allocatePinned(long bytes);

    /** Wraps host memory that the caller keeps alive, without a copy, where the device can read it; else empty. */
    default Optional<Memory> importHost(MemorySegment segment) {
        return Optional.empty();
    }

    /** Fills {@code bytes} bytes from {@code offset} on, in the order of the queue. */
    void memset(Queue queue, Memory memory, long offset, byte value, long bytes);

    /** Copies between two blocks of this device, or of host and device, in the order of the queue. */
    void copy(Queue queue, Memory to, long toOffset, Memory from, long fromOffset, long bytes);

    /**
     * Copies from host memory. The source (heap, direct, mapped, read-only) is read before this returns, or stays readable until
     * the queue has done it if it is native memory of a shared or global arena.
     */
    void upload(Queue queue, Memory to, long toOffset, MemorySegment from);

    /** Copies to host memory; the bytes are there after the queue has done it. A read-only target is refused. */
    void download(Queue queue, MemorySegment to, Memory from, long fromOffset);

    Queue createQueue();

    /** Creates an event; {@code blocking} asks that a waiting thread sleeps rather than spins. */
    Event createEvent(boolean blocking);

    /** Submits deferred work of all queues, without waiting. */
    default void flushPending() {}

    /** Blocks until all work that any queue accepted so far is done; failures stay with their queue. */
    void drain();

    default boolean supportsAuxStream() {
        return false;
    }

    default boolean supportsGraphCapture() {
        return false;
    }

    MemoryUse memoryUse();
}
