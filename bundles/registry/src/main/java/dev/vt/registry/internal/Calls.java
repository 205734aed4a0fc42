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
 * Walks the chain for one call. The caller holds a pin. The first lines of {@link #run} are the hot path of the whole runtime: one
 * table look-up, one call, one compare.
 */
final class Calls {
    private final SelectionCore core;
    private final ReferenceTier reference;

    Calls(SelectionCore core, ReferenceTier reference) {
        this.core = core;
        this.reference = reference;
    }

    <K> void run(SelectionTable table, PinSlot slot, Op<K> op, Queue queue, KernelCall<K> call) {
        Route route = table.route(op, queue.device());
        if (route != null && route.first != null && !route.watched) {
            Outcome outcome = ask(route.eligible[0], op, call);
            if (outcome == Outcome.SERVED) {
                if (queue.capturing()) {
                    queue.noteOwner(route.eligible[0].owner);
                }
                return;
            }
            declined(route, 0, outcome, slot, op, queue, call);
        } else {
            unusual(route, slot, op, queue, call);
        }
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

    /** The first kernel declined: count, and go down the chain. */
    private <K> void declined(
            Route route, int at, @Nullable Outcome first, PinSlot slot, Op<K> op, Queue queue, KernelCall<K> call) {
        Link[] links = route.eligible;
        Outcome outcome = first;
        int i = at;
        while (true) {
            count(route, links[i], outcome, slot, op, call);
            if (++i == links.length) {
                break;
            }
            outcome = ask(links[i], op, call);
            if (outcome == Outcome.SERVED) {
                if (queue.capturing()) {
                    queue.noteOwner(links[i].owner);
                }
                if (route.watched) {
                    served(route, links[i], slot, op, call);
                }
                return;
            }
        }
        miss(route, slot, op, queue, call);
    }

    private <K> void count(Route route, Link link, @Nullable Outcome outcome, PinSlot slot, Op<K> op, KernelCall<K> call) {
        if (outcome == null) {
            throw new VtException(
                    ErrorCode.KERNEL_FAILED,
                    "op " + op + " on " + link.device + ": the kernel of provider " + link.name + " returned null");
        }
        slot.count(link.declineCell(outcome));
        if (route.watched || route.strict) {
            declineSeen(route, link, outcome, op, call);
        }
    }

    private <K> void declineSeen(Route route, Link link, Outcome outcome, Op<K> op, KernelCall<K> call) {
        if (core.watch.tracing()) {
            core.watch.trace(op.name(), link.device, link.name, outcome.reason(), CallDescription.of(op, call).json());
        }
        if (route.strict) {
            throw new VtException(
                    ErrorCode.DECLINED,
                    "op " + op + " on " + link.device + ": provider " + link.name + " declined (" + outcome.reason()
                            + ") for " + CallDescription.of(op, call)
                            + ", and the policy of this device is fallback=strict; change the call, or the policy");
        }
    }

    /** No route, nothing eligible, or a watched route. */
    private <K> void unusual(@Nullable Route route, PinSlot slot, Op<K> op, Queue queue, KernelCall<K> call) {
        if (route == null || route.first == null) {
            miss(route, slot, op, queue, call);
            return;
        }
        core.watch.selected(route, core.caps(route.device));
        Outcome outcome = ask(route.eligible[0], op, call);
        if (outcome == Outcome.SERVED) {
            if (queue.capturing()) {
                queue.noteOwner(route.eligible[0].owner);
            }
            served(route, route.eligible[0], slot, op, call);
        } else {
            declined(route, 0, outcome, slot, op, queue, call);
        }
    }

    private <K> void served(Route route, Link link, PinSlot slot, Op<K> op, KernelCall<K> call) {
        slot.count(link.servedCell);
        if (core.watch.tracing()) {
            core.watch.trace(op.name(), route.device, link.name, null, CallDescription.of(op, call).json());
        }
    }

    /** Nothing served. The reference tier comes in here, once; else it is an error. */
    private <K> void miss(@Nullable Route route, PinSlot slot, Op<K> op, Queue queue, KernelCall<K> call) {
        Device device = queue.device();
        boolean lent = route != null && route.chain.stream().anyMatch(Link::reference);
        if (!lent && reference.lend(op, device)) {
            Route fresh = core.table().route(op, device);
            if (fresh != null && fresh.eligible.length > 0 && fresh.eligible[fresh.eligible.length - 1].reference()) {
                int last = fresh.eligible.length - 1;
                core.watch.selected(fresh, core.caps(device));
                Outcome outcome = ask(fresh.eligible[last], op, call);
                if (outcome == Outcome.SERVED) {
                    if (fresh.watched) {
                        served(fresh, fresh.eligible[last], slot, op, call);
                    }
                    return;
                }
                count(fresh, fresh.eligible[last], outcome, slot, op, call);
                route = fresh;
            }
        }
        slot.count(core.counters.fallbacks(op.id(), device));
        throw new NoKernelException(noKernel(op, device, core.table().route(op, device), CallDescription.of(op, call).toString()));
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
                + (tensors.isEmpty() ? "it" : "a call with " + tensors) + "; considered: " + String.join(", ", considered);
    }

    private String reasons(Link link) {
        return String.join("; ", core.counters.declines(link.op, link.device, link.name).keySet());
    }
}
