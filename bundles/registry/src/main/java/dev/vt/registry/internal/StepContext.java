package dev.vt.registry.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Queue;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.Op;
import org.jspecify.annotations.Nullable;

/** A context over one registry. Holds a slot between begin and end, and none outside. */
final class StepContext implements ExecutionContext {
    private final SelectionCore core;
    private final Calls calls;
    private @Nullable PinSlot slot;
    private @Nullable SelectionTable table;
    private @Nullable Thread holder;

    StepContext(SelectionCore core, Calls calls) {
        this.core = core;
        this.calls = calls;
    }

    @Override
    public void begin() {
        if (slot != null) {
            throw VtException.invalidArgument("execution context: begin() without end() before it; one step at a time");
        }
        slot = core.pins.enter(core.table().epoch);
        table = core.table();
        holder = Thread.currentThread();
    }

    @Override
    public void end() {
        PinSlot held = slot;
        if (held == null) {
            throw VtException.invalidArgument("execution context: end() without begin()");
        }
        slot = null;
        table = null;
        holder = null;
        held.exit();
    }

    @Override
    public boolean active() {
        return slot != null;
    }

    @Override
    public <K> void call(Op<K> op, Queue queue, KernelCall<K> call) {
        PinSlot held = slot;
        SelectionTable seen = table;
        if (held != null && seen != null && holder == Thread.currentThread()) {
            calls.run(seen, held, op, queue, call);
        } else {
            outside(op, queue, call);
        }
    }

    /** A call outside a step pins itself; one of another thread inside a step is a mistake. */
    private <K> void outside(Op<K> op, Queue queue, KernelCall<K> call) {
        Thread other = holder;
        if (other != null && other != Thread.currentThread()) {
            throw new VtException(
                    ErrorCode.INVALID_ARGUMENT,
                    "execution context: its step belongs to thread '" + other.getName() + "', op " + op
                            + " was called from '" + Thread.currentThread().getName()
                            + "'; give each thread a context of its own");
        }
        PinSlot lone = core.pins.enter(core.table().epoch);
        try {
            calls.run(core.table(), lone, op, queue, call);
        } finally {
            lone.exit();
        }
    }

    @Override
    public void close() {
        if (slot != null) {
            end();
        }
    }
}
