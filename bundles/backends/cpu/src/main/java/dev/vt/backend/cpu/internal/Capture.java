package dev.vt.backend.cpu.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import dev.vt.backend.cpu.CpuTask;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a queue records between the begin and the end of a capture. It belongs to the thread that began it; any thread
 * may add to it. Once ended it takes no more, and a task that comes too late is queued as usual.
 */
final class Capture {
    private final Device device;
    private final Thread owner;
    private final List<CpuTask> tasks = new ArrayList<>();
    private final Set<KernelOwner> owners = new LinkedHashSet<>();
    private final Set<Memory> memories = new LinkedHashSet<>();
    private boolean ended;
    private @Nullable String reason;

    Capture(Device device, Thread owner) {
        this.device = device;
        this.owner = owner;
    }

    Thread owner() {
        return owner;
    }

    /** Keeps a task; false when the capture has ended. */
    synchronized boolean add(CpuTask task) {
        return !ended && tasks.add(task);
    }

    synchronized void uses(Memory memory) {
        memories.add(memory);
    }

    synchronized void owner(KernelOwner kernelOwner) {
        owners.add(kernelOwner);
    }

    /** Keeps all that another graph holds; false when the capture has ended. */
    synchronized boolean addAll(List<CpuTask> moreTasks, List<KernelOwner> moreOwners, List<Memory> moreMemories) {
        if (ended) {
            return false;
        }
        tasks.addAll(moreTasks);
        owners.addAll(moreOwners);
        memories.addAll(moreMemories);
        return true;
    }

    synchronized Graph end() {
        ended = true;
        return new CpuGraph(device, List.copyOf(tasks), List.copyOf(owners), List.copyOf(memories));
    }

    synchronized void refuse(String why) {
        ended = true;
        reason = why;
    }

    synchronized @Nullable String endReason() {
        return reason;
    }
}
