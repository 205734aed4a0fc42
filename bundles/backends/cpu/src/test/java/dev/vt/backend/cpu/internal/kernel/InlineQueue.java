package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Event;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.backend.cpu.CpuTask;
import dev.vt.backend.cpu.CpuWorkers;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue that runs its tasks at once on the caller's thread and cuts ranges in a way that a test chooses, so that a
 * result which depends on the cut is found. While it captures it only notes the tensors that kernels name.
 */
final class InlineQueue implements CpuQueue {
    /** How ranges are cut: not at all, into single items from the last to the first, or into runs of seven. */
    enum Cut {
        WHOLE(Long.MAX_VALUE),
        SINGLE(1),
        SEVEN(7);

        private final long size;

        Cut(long size) {
            this.size = size;
        }

        void run(long n, CpuWorkers.RangeTask body) {
            if (n == 0 && this == WHOLE) {
                body.run(0, 0);
                return;
            }
            long pieces = n == 0 ? 0 : (n - 1) / size + 1;
            for (long i = pieces - 1; i >= 0; i--) {
                body.run(i * size, size > n ? n : Math.min(n, (i + 1) * size));
            }
        }
    }

    final List<Tensor> used = new ArrayList<>();
    /** What can be found by its address. */
    final List<MemorySegment> known = new ArrayList<>();

    private final Cut cut;
    private final boolean capturing;

    InlineQueue(Cut cut) {
        this(cut, false);
    }

    InlineQueue(Cut cut, boolean capturing) {
        this.cut = cut;
        this.capturing = capturing;
    }

    @Override
    public void submit(CpuTask task) {
        if (capturing) {
            return;
        }
        task.run(new CpuWorkers() {
            @Override
            public int parallelism() {
                return 2;
            }

            @Override
            public void forRange(long n, long grain, RangeTask body) {
                if (grain < 1) {
                    throw new IllegalArgumentException("grain " + grain);
                }
                cut.run(n, body);
            }
        });
    }

    @Override
    public void uses(Tensor... tensors) {
        used.addAll(List.of(tensors));
    }

    @Override
    public MemorySegment segmentAt(long address, long bytes) {
        for (MemorySegment block : known) {
            long from = address - block.address();
            if (from >= 0 && from + bytes <= block.byteSize()) {
                return block.asSlice(from, bytes);
            }
        }
        throw VtException.invalidArgument("no block is at address " + address);
    }

    @Override
    public long id() {
        return 1;
    }

    @Override
    public Device device() {
        return Device.of(DeviceType.CPU);
    }

    @Override
    public boolean capturing() {
        return capturing;
    }

    @Override
    public void synchronize() {}

    @Override
    public void noteOwner(KernelOwner owner) {}

    @Override
    public void record(Event event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void waitFor(Event event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void beginCapture() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Graph endCapture() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void endCaptureStored() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void replayStored() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}

    /** One queue for each way to cut. */
    static List<Queue> all() {
        List<Queue> queues = new ArrayList<>();
        for (Cut cut : Cut.values()) {
            queues.add(new InlineQueue(cut));
        }
        return queues;
    }
}
