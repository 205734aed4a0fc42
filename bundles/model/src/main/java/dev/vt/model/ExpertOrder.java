package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The pairs of token and expert of a step, sorted by expert, so that each expert gets its tokens in one product. The choice is made on
 * the device and read here, which waits for the queue; the orders that come of it go to the device in one copy. Owned by the
 * buffers of a mixture; one thread at a time.
 */
final class ExpertOrder implements AutoCloseable {
    private final Backend backend;
    private final int[] start;
    private final int[] next;
    private final long placesAt;
    private final long size;
    private final Memory host;
    private final Memory device;
    private final FirstRows tokens;
    private final FirstRows places;

    ExpertOrder(Backend backend, int experts, int maxPairs) {
        this.backend = backend;
        this.start = new int[experts + 1];
        this.next = new int[experts];
        Regions regions = new Regions();
        long tokensAt = regions.add(DType.I32, maxPairs);
        placesAt = regions.add(DType.I32, maxPairs);
        size = regions.size();
        device = backend.allocate(size);
        try {
            host = backend.allocatePinned(size);
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
        tokens = new FirstRows(Tensor.of(device, tokensAt, DType.I32, maxPairs));
        places = new FirstRows(Tensor.of(device, placesAt, DType.I32, maxPairs));
    }

    /** Waits for the choice, sorts it, and queues the copy of the orders. */
    void sort(Queue queue, Tensor indices) {
        int perToken = Math.toIntExact(indices.dim(1));
        int pairs = Math.toIntExact(indices.elements());
        MemorySegment data = host.segment();
        // The copy of the orders before is done once this one is, so the host memory is free.
        MemorySegment chosen = data.asSlice(placesAt, 4L * pairs);
        backend.download(queue, chosen, indices.memory(), indices.offset());
        queue.synchronize();
        Arrays.fill(start, 0);
        for (int p = 0; p < pairs; p++) {
            start[chosen.getAtIndex(ValueLayout.JAVA_INT, p) + 1]++;
        }
        for (int e = 0; e < next.length; e++) {
            start[e + 1] += start[e];
            next[e] = start[e];
        }
        for (int p = 0; p < pairs; p++) {
            int place = next[chosen.getAtIndex(ValueLayout.JAVA_INT, p)]++;
            data.setAtIndex(ValueLayout.JAVA_INT, place, p / perToken);
            chosen.setAtIndex(ValueLayout.JAVA_INT, p, place);
        }
        backend.copy(queue, device, 0, host, 0, size);
    }

    /** Where an expert's rows begin in the order; those of the next expert follow them. */
    int start(int expert) {
        return start[expert];
    }

    /** The token of each row of the order, [P] i32. */
    Tensor tokens(int pairs) {
        return tokens.of(pairs);
    }

    /** For the pairs in the order of the tokens, the row of each, [P] i32. */
    Tensor places(int pairs) {
        return places.of(pairs);
    }

    @Override
    public void close() {
        host.close();
        device.close();
    }
}
