package dev.vt.ops.fusion;

import dev.vt.api.device.Device;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.ops.kernel.Chain;

/**
 * The way in to recipes: carries one out by its own op where a native kernel of that is registered, else by the interpreter
 * {@code fused_chain} where the recipe's steps all work row by row, the interpreter is switched on and has a native kernel, else by
 * the ops of its steps. The bytes are the same. The reference tier never counts as registered, so it never draws a recipe away from
 * quick single ops. The choice is made anew for each call, from the selection of the moment.
 *
 * <p>Where the chosen op has no kernel that serves the call, which it says before anything is written, the next way is taken.
 *
 * <p>Thread rules are those of the dispatcher: over a registry any thread, over an execution context the context's. It holds no
 * state of its own.
 */
public final class Fused {
    /** The variable that switches the interpreter on. */
    private static final String VARIABLE = "VT_FUSED_TIER";

    private static final Dispatcher NOTHING = new Dispatcher() {
        @Override
        public <K> void call(Op<K> op, Queue queue, KernelCall<K> call) {
            // Only the checks that come before this are wanted.
        }
    };

    private final OpRegistry registry;
    private final Ops ops;
    private final Ops checks = new Ops(NOTHING);
    private final boolean interpreter;

    /** Lone calls; the variable {@code VT_FUSED_TIER=1} switches the interpreter on. */
    public Fused(OpRegistry registry) {
        this(registry, registry, "1".equals(System.getenv(VARIABLE)));
    }

    /**
     * Calls through a dispatcher.
     *
     * @param registry says what is registered
     * @param dispatcher the registry, or an execution context of it
     * @param interpreter whether {@code fused_chain} may be taken
     */
    public Fused(OpRegistry registry, Dispatcher dispatcher, boolean interpreter) {
        this.registry = registry;
        this.ops = new Ops(dispatcher);
        this.interpreter = interpreter;
    }

    /**
     * Queues the work of a recipe.
     *
     * @return which way it went
     * @throws dev.vt.api.VtException where a tensor or number is wrong; nothing has been queued then
     */
    public Realisation run(Queue queue, FusedCall call) {
        if (!call.checkedFor(queue.device())) {
            check(queue, call);
        }
        Op<?> fastOp = call.recipe().fast();
        if (fastOp != null && registry.registered(fastOp, queue.device()) && bespoke(queue, call, fastOp)) {
            return Realisation.BESPOKE;
        }
        Chain chain = interpreter ? call.recipe().program() : null;
        if (chain != null && registry.registered(OpTable.FUSED_CHAIN, queue.device()) && chain(queue, call, chain)) {
            return Realisation.CHAIN;
        }
        Steps.composite(ops, queue, call);
        return Realisation.COMPOSITE;
    }

    /** Whichever way is taken later, the arguments are right for all of them, and no step is queued before another is refused. */
    private void check(Queue queue, FusedCall call) {
        call.recipe().fastOp().ifPresent(op -> Steps.bespoke(checks, queue, call, op));
        call.recipe().chain().ifPresent(chain -> chain(checks, queue, call, chain));
        Steps.composite(checks, queue, call);
        call.markChecked(queue.device());
    }

    private boolean bespoke(Queue queue, FusedCall call, Op<?> fastOp) {
        try {
            Steps.bespoke(ops, queue, call, fastOp);
            return true;
        } catch (NoKernelException e) {
            return false;
        }
    }

    private boolean chain(Queue queue, FusedCall call, Chain chain) {
        try {
            chain(ops, queue, call, chain);
            return true;
        } catch (NoKernelException e) {
            return false;
        }
    }

    private static void chain(Ops ops, Queue queue, FusedCall c, Chain chain) {
        ops.fusedChain(
                queue,
                c.tensor(Chain.OUT),
                c.tensor(Chain.X),
                c.tensor(Chain.WEIGHT),
                c.tensor(Chain.RESIDUAL),
                chain,
                c.eps());
    }

    /** Which way a recipe takes on a device now, and why not an earlier one. */
    public Choice explain(Recipe recipe, Device device) {
        StringBuilder why = new StringBuilder();
        Op<?> fastOp = recipe.fast();
        if (fastOp != null && registry.registered(fastOp, device)) {
            return new Choice(Realisation.BESPOKE, fastOp + " has a native kernel on " + device);
        }
        why.append(fastOp == null ? "the recipe has no op of its own" : fastOp + " has no native kernel on " + device);
        if (recipe.chain().isEmpty()) {
            why.append(", and not all of its steps work row by row");
        } else if (!interpreter) {
            why.append(", and the interpreter is off (" + VARIABLE + "=1 switches it on)");
        } else if (registry.registered(OpTable.FUSED_CHAIN, device)) {
            return new Choice(Realisation.CHAIN, why + ", and " + OpTable.FUSED_CHAIN + " has a native kernel");
        } else {
            why.append(", and " + OpTable.FUSED_CHAIN + " has no native kernel on " + device);
        }
        return new Choice(Realisation.COMPOSITE, why.toString());
    }
}
