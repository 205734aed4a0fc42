package dev.vt.model;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.Op;

/**
 * Counts the op calls that a generator makes, so that they can be held against what the registry says was served. One
 * thread at a time.
 */
final class CountingDispatcher implements Dispatcher {
    private final Dispatcher target;
    private long calls;

    CountingDispatcher(Dispatcher target) {
        this.target = target;
    }

    long calls() {
        return calls;
    }

    @Override
    public <K> void call(Op<K> op, Queue queue, KernelCall<K> call) {
        target.call(op, queue, call);
        calls++;
    }
}
