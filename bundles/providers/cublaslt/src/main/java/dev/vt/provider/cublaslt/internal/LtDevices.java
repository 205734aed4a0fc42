package dev.vt.provider.cublaslt.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.CudaQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The library on the devices that have asked for it, each started by its first call. Any thread may call it. */
final class LtDevices implements AutoCloseable {
    private final LtLoader loader;
    private final Planner planner = new Planner();
    /** Set on the planner's thread. */
    private final AtomicReferenceArray<@Nullable LtDevice> open = new AtomicReferenceArray<>(Device.LIMIT);

    LtDevices(LtLoader loader) {
        this.loader = loader;
    }

    LtLoader loader() {
        return loader;
    }

    /** Queues out = alpha * a * b, or declines. */
    Outcome multiply(CudaQueue queue, Product product, Tensor out, Tensor a, Tensor b, float alpha) {
        LtDevice device = open.get(queue.device().index());
        if (device == null || !device.isOf(queue)) {
            Lt library = loader.library();
            if (library == null) {
                return Declines.NO_LIBRARY;
            }
            device = planner.call(() -> start(library, queue));
        }
        return device.multiply(queue, product, out, a, b, alpha);
    }

    private LtDevice start(Lt library, CudaQueue queue) {
        int index = queue.device().index();
        LtDevice there = open.get(index);
        if (there != null && there.isOf(queue)) {
            return there;
        }
        LtDevice made = LtDevice.open(library, planner, queue);
        open.set(index, made);
        if (there != null) {
            there.close();
        }
        return made;
    }

    /** Ends all, then unloads the library. Ending it waits for the device, which no capture would survive. */
    @Override
    public void close() {
        List<LtDevice> all = new ArrayList<>();
        for (int i = 0; i < open.length(); i++) {
            LtDevice device = open.getAndSet(i, null);
            if (device != null) {
                all.add(device);
            }
        }
        betweenCaptures(all, 0, () -> {
            if (!all.isEmpty()) {
                planner.call(() -> {
                    all.forEach(LtDevice::close);
                    return all;
                });
            }
            planner.close();
            loader.close();
        });
    }

    private static void betweenCaptures(List<LtDevice> all, int from, Runnable work) {
        if (from == all.size()) {
            work.run();
        } else {
            all.get(from).context().betweenCaptures(() -> betweenCaptures(all, from + 1, work));
        }
    }
}
