package dev.vt.registry.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks the chain for one call. The caller holds a pin. {@link #run} is the hot path of the whole runtime: one table look-up, one
 * call, one compare.
 */
final class Calls {
    private final SelectionCore core;
    private final ReferenceTier reference;

    Calls(SelectionCore core, ReferenceTier reference) {
        this.core = core;
        this.reference = reference;
    }

    /**
     * Runs one call. The call object must not reach a method that is not inlined but for paths that a run usually never takes: then
     * the compiler removes it, and a call allocates nothing.
     */
    <K> void run(SelectionTable table, PinSlot slot, Op<K> op, Queue queue, KernelCall<K> call) {
        Link link = table.first(op, queue.device());
        if (link == null) {
            unusual(table.route(op, queue.device()), slot, op, queue, call);
            return;
        }
        do {
            Outcome outcome = ask(link, op, call);
            if (outcome == Outcome.SERVED) {
                if (link.counted) {
                    slot.count(link.servedCell);
                }
                if (queue.capturing()) {
                    queue.noteOwner(link.owner);
                }
                return;
            }
            if (outcome == null) {
                throw answeredNull(link, op);
            }
            slot.count(link.declineCell(outcome));
            if (link.strict) {
                throw declinedStrictly(link, outcome, op, call);
            }
            link = link.next;
        } while (link != null);
        miss(table.route(op, queue.device()), slot, op, queue, call);
    }

    /** Asks one kernel; what it throws becomes an error that names it. */
    @SuppressWarnings("unchecked") // the table keeps kernels under the op of their type
    private <K> Outcome ask(Link link, Op<K> op, KernelCall<K> call) {
        try {
            return call.on((K) link.kernel);
        } catch (RuntimeException | LinkageError e) {
            throw thrown(link, op, e);
        }
    }

    private static VtException thrown(Link link, Op<?> op, Throwable e) {
        if (e instanceof VtException known) {
            return known;
        }
        return new VtException(
                ErrorCode.KERNEL_FAILED,
                "op " + op + " on " + link.device + ": the kernel of provider " + link.name + " threw " + e,
                e);
    }

    private static VtException answeredNull(Link link, Op<?> op) {
        return new VtException(
                ErrorCode.KERNEL_FAILED,
                "op " + op + " on " + link.device + ": the kernel of provider " + link.name + " returned null");
    }

    private static <K> VtException declinedStrictly(Link link, Outcome outcome, Op<K> op, KernelCall<K> call) {
        return new VtException(
                ErrorCode.DECLINED,
                "op " + op + " on " + link.device + ": provider " + link.name + " declined (" + outcome.reason()
                        + ") for "
                        + CallDescription.of(op, call)
                        + ", and the policy of this device is fallback=strict; change the call, or the policy");
    }

    /** No route, or one that is traced and announced: the same walk, with a line for each answer. */
    private <K> void unusual(@Nullable Route route, PinSlot slot, Op<K> op, Queue queue, KernelCall<K> call) {
        if (route != null) {
            core.watch.selected(route, core.caps(route.device));
            for (Link link : route.eligible) {
                if (askWatched(link, slot, op, queue, call)) {
                    return;
                }
            }
        }
        miss(route, slot, op, queue, call);
    }

    private <K> boolean askWatched(Link link, PinSlot slot, Op<K> op, Queue queue, KernelCall<K> call) {
        Outcome outcome = ask(link, op, call);
        if (outcome == null) {
            throw answeredNull(link, op);
        }
        boolean served = outcome == Outcome.SERVED;
        if (!served) {
            slot.count(link.declineCell(outcome));
        } else if (link.counted) {
            slot.count(link.servedCell);
        }
        if (core.watch.tracing()) {
            core.watch.trace(
                    op.name(),
                    link.device,
                    link.name,
                    served ? null : outcome.reason(),
                    CallDescription.of(op, call).json());
        }
        if (served && queue.capturing()) {
            queue.noteOwner(link.owner);
        }
        if (!served && link.strict) {
            throw declinedStrictly(link, outcome, op, call);
        }
        return served;
    }

    /** Nothing served. The reference tier comes in here, once; else it is an error. */
    private <K> void miss(@Nullable Route route, PinSlot slot, Op<K> op, Queue queue, KernelCall<K> call) {
        Device device = queue.device();
        boolean lent = route != null && route.chain.stream().anyMatch(Link::reference);
        if (!lent && reference.lend(op, device)) {
            Route fresh = core.table().route(op, device);
            if (fresh != null && fresh.eligible.length > 0 && fresh.eligible[fresh.eligible.length - 1].reference()) {
                core.watch.selected(fresh, core.caps(device));
                if (askWatched(fresh.eligible[fresh.eligible.length - 1], slot, op, queue, call)) {
                    return;
                }
            }
        }
        slot.count(core.counters.fallbacks(op.id(), device));
        throw new NoKernelException(noKernel(
                op,
                device,
                core.table().route(op, device),
                CallDescription.of(op, call).toString()));
    }

    /** One sentence on why nothing can serve. */
    String noKernel(Op<?> op, Device device, @Nullable Route route, String tensors) {
        List<String> considered = new ArrayList<>();
        if (route != null) {
            for (Link l : route.chain) {
                String why = l.eligible() ? "declined: " + reasons(l) : l.state.label() + ": " + l.reason;
                considered.add(l.name + " (" + why + ")");
            }
        }
        if (route == null || route.chain.stream().noneMatch(Link::reference)) {
            considered.add(dev.vt.api.spi.OpProvider.REFERENCE + " (" + reference.refusal(op, device) + ")");
        }
        return "op " + op + " on " + device + ": no kernel can serve "
                + (tensors.isEmpty() ? "it" : "a call with " + tensors) + "; considered: "
                + String.join(", ", considered);
    }

    private String reasons(Link link) {
        return String.join(
                "; ",
                core.counters.declines(link.op.id(), link.device, link.name).keySet());
    }
}
