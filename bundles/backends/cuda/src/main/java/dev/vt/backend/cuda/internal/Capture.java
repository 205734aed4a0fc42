package dev.vt.backend.cuda.internal;

import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a queue notes beside the stream between the begin and the end of a capture. It belongs to the thread that began it; the
 * queue's lock guards it.
 */
final class Capture {
    private final Thread thread;
    private final FaultRecord faults;
    private final Scratch scratch;
    private final Set<KernelOwner> owners = new LinkedHashSet<>();
    private final Set<Memory> memories = new LinkedHashSet<>();
    private final List<Runnable> releases = new ArrayList<>();

    Capture(Thread thread, FaultRecord faults, Scratch scratch) {
        this.thread = thread;
        this.faults = faults;
        this.scratch = scratch;
        releases.add(faults::free);
        releases.add(scratch::free);
    }

    Thread thread() {
        return thread;
    }

    FaultRecord faults() {
        return faults;
    }

    Scratch scratch() {
        return scratch;
    }

    void owner(KernelOwner owner) {
        owners.add(owner);
    }

    void uses(Memory memory) {
        memories.add(memory);
    }

    /** What to do when the graph goes. */
    void releaseWith(Runnable release) {
        releases.add(release);
    }

    List<KernelOwner> owners() {
        return List.copyOf(owners);
    }

    List<Memory> memories() {
        return List.copyOf(memories);
    }

    List<Runnable> releases() {
        return List.copyOf(releases);
    }
}
