package dev.vt.model;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Event;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Brings the tokens of a step to the host, into page-locked memory. When the device goes ahead this is the work of a queue of
 * its own, and an event tells when they are there; else they come on the step's queue, which is waited for. Tokens of two
 * steps may be on their way. Owned by a workspace; one thread at a time.
 */
final class TokenReturn implements AutoCloseable {
    private static final int SLOTS = 2;

    private final Backend backend;
    private final Queue queue;
    private final Tensor ids;
    private final long bytes;
    private final @Nullable Aside aside;
    private final Memory host;
    private int next;

    private final Deque<Runnable> closers = new ArrayDeque<>();

    /** What is needed to go ahead. */
    private record Aside(Queue copies, Event chosen, Event[] arrived) {}

    TokenReturn(Backend backend, Queue queue, FirstRows ids, int maxSequences, boolean ahead) {
        this.backend = backend;
        this.queue = queue;
        this.ids = ids.of(maxSequences);
        this.bytes = Tensor.bytes(DType.I64, maxSequences);
        try {
            host = backend.allocatePinned(SLOTS * bytes);
            closers.push(host::close);
            aside = ahead ? aside() : null;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Aside aside() {
        Queue copies = backend.createQueue();
        closers.push(copies::close);
        return new Aside(copies, event(), new Event[] {event(), event()});
    }

    private Event event() {
        Event event = backend.createEvent(true);
        closers.push(event::close);
        return event;
    }

    /** To be called before work that overwrites the tokens is queued. */
    void beforeStep() {
        if (aside != null) {
            queue.waitFor(aside.arrived()[1 - next]);
        }
    }

    /** Queues the way of the tokens that the step has chosen; the result is what to ask for them with. */
    int send() {
        int slot = next;
        next = 1 - next;
        if (aside == null) {
            backend.copy(queue, host, slot * bytes, ids.memory(), ids.offset(), bytes);
        } else {
            queue.record(aside.chosen());
            aside.copies().waitFor(aside.chosen());
            backend.copy(aside.copies(), host, slot * bytes, ids.memory(), ids.offset(), bytes);
            aside.copies().record(aside.arrived()[slot]);
        }
        return slot;
    }

    /** Waits for the tokens of a step. Failures show here only where the device does not go ahead. */
    void await(int slot) {
        if (aside == null) {
            queue.synchronize();
        } else {
            backend.flushPending();
            aside.arrived()[slot].synchronize();
        }
    }

    /** A token of a step that was waited for. */
    int token(int slot, int row) {
        return Math.toIntExact(host.segment().get(ValueLayout.JAVA_LONG, slot * bytes + 8L * row));
    }

    /** Waits for what is still on its way, so that nothing of a failed step comes later. */
    void settle() {
        if (aside != null) {
            aside.copies().synchronize();
        }
    }

    @Override
    public void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
    }
}
