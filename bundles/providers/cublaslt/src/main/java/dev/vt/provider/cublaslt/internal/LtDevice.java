package dev.vt.provider.cublaslt.internal;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cuda.CudaContext;
import dev.vt.backend.cuda.CudaQueue;
import dev.vt.backend.cuda.CudaStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/**
 * cuBLASLt on one device: the library's handle and the plans. Any thread may call it; what it makes is made and ended on the planner's
 * thread. The provider closes it when no call is inside; what was made for a device that has failed or gone has gone with it.
 */
final class LtDevice implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.vt.provider.cublaslt");

    private final Lt lt;
    private final Planner planner;
    private final CudaContext context;
    private final long handle;
    private final PlanCache plans = new PlanCache();
    /** Over the factor of a call, which the library reads from host memory. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Arena arena = Arena.ofShared();
    private final MemorySegment one = arena.allocateFrom(JAVA_FLOAT, 1);
    private final MemorySegment zero = arena.allocateFrom(JAVA_FLOAT, 0);
    private final MemorySegment factor = arena.allocate(JAVA_FLOAT);

    private LtDevice(Lt lt, Planner planner, CudaContext context, long handle) {
        this.lt = lt;
        this.planner = planner;
        this.context = context;
        this.handle = handle;
    }

    /** Starts the library on the device of a queue; where that fails every product is declined. On the planner's thread. */
    static LtDevice open(Lt lt, Planner planner, CudaQueue queue) {
        try (Arena temporary = Arena.ofConfined()) {
            MemorySegment to = temporary.allocate(JAVA_LONG);
            enter(queue.context(), queue.device());
            int code = lt.call(Lt.One.CREATE, to.address());
            if (code != Status.SUCCESS) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "cuBLASLt {0} does not start on {1}: cublasLtCreate gives {2}",
                        lt.versionText(),
                        queue.device(),
                        Status.text(code));
            }
            return new LtDevice(lt, planner, queue.context(), code == Status.SUCCESS ? to.get(JAVA_LONG, 0) : 0);
        }
    }

    private static void enter(CudaContext context, Device device) {
        if (!context.enter()) {
            throw VtException.closed("cuBLASLt on " + device + ": the device has failed or was closed");
        }
    }

    /** False when the device was opened anew since. */
    boolean isOf(CudaQueue queue) {
        return context == queue.context();
    }

    /** Queues out = alpha * a * b, or declines. */
    Outcome multiply(CudaQueue queue, Product product, Tensor out, Tensor a, Tensor b, float alpha) {
        if (handle == 0) {
            return Declines.NO_HANDLE;
        }
        Plan found = plans.enter(product, out, a, b);
        Plan plan = found != null ? found : make(queue, product, out, a, b);
        try {
            Outcome no = plan.refused();
            return no != null ? no : launch(queue, plan, out, a, b, alpha);
        } finally {
            plan.exit();
        }
    }

    private Plan make(CudaQueue queue, Product product, Tensor out, Tensor a, Tensor b) {
        return planner.call(() -> {
            Plan meanwhile = plans.enter(product, out, a, b);
            if (meanwhile != null) {
                return meanwhile;
            }
            enter(context, queue.device());
            Plan made = Descriptors.plan(lt, handle, Shape.of(product, out, a, b));
            made.enter();
            plans.add(made);
            return made;
        });
    }

    private Outcome launch(CudaQueue queue, Plan plan, Tensor out, Tensor a, Tensor b, float alpha) {
        if (queue.capturing()) {
            queue.uses(out, a, b);
        }
        int code;
        try (CudaStream stream = queue.enter(plan.scratchBytes())) {
            if (alpha == 1) {
                code = give(plan, one, stream, out, a, b);
            } else {
                lock.lock();
                try {
                    factor.set(JAVA_FLOAT, 0, alpha);
                    code = give(plan, factor, stream, out, a, b);
                } finally {
                    lock.unlock();
                }
            }
        }
        if (code == Status.SUCCESS) {
            return Outcome.SERVED;
        }
        if (code == Status.NOT_SUPPORTED) {
            plan.refuse(Declines.NOT_SUPPORTED);
            return Declines.NOT_SUPPORTED;
        }
        throw new VtException(
                ErrorCode.KERNEL_FAILED,
                "cuBLASLt on " + queue.device() + ": the product of " + a + " and " + b + " gives "
                        + Status.text(code));
    }

    private int give(Plan plan, MemorySegment alpha, CudaStream stream, Tensor out, Tensor a, Tensor b) {
        // The library's a is our b: see Descriptors.
        return lt.matmul(
                handle,
                plan,
                alpha.address(),
                zero.address(),
                Operands.address(b),
                Operands.address(a),
                Operands.address(out),
                stream.scratch(),
                stream.handle());
    }

    /** Which device it is, for what must not happen while one of its queues captures. */
    CudaContext context() {
        return context;
    }

    /** On the planner's thread. */
    @Override
    public void close() {
        plans.close();
        if (handle != 0 && context.enter()) {
            int code = lt.call(Lt.One.DESTROY, handle);
            if (code != Status.SUCCESS) {
                LOG.log(System.Logger.Level.WARNING, "cublasLtDestroy gives {0}", Status.text(code));
            }
        }
        arena.close();
    }
}
