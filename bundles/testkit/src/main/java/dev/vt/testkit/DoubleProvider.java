package dev.vt.testkit;

import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.tensor.Tensor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A provider of a {@link DeviceDouble}: kernels of the CPU over the device's own memory, which the host may not see. They decide at
 * once and queue their work on the device's queues as real ones do. Single kernels can be replaced by faulty ones; calls are
 * counted. Any thread.
 */
public final class DoubleProvider implements OpProvider {
    private final String name;
    private final int priority;
    private final DeviceDouble device;
    private final KernelSet lent;
    private final Map<Op<?>, Object> own = new ConcurrentHashMap<>();
    private final Map<Op<?>, AtomicLong> calls = new ConcurrentHashMap<>();

    /**
     * Lends kernels to a device.
     *
     * @param cpu kernels of the CPU, which cast their queue to {@link dev.vt.backend.cpu.CpuQueue}
     */
    public DoubleProvider(String name, int priority, DeviceDouble device, KernelSet cpu) {
        this.name = name;
        this.priority = priority;
        this.device = device;
        this.lent = cpu;
    }

    /** Puts a kernel in the place of the one that was lent; before the provider is registered. */
    public <K> DoubleProvider with(Op<K> op, K kernel) {
        own.put(op, kernel);
        return this;
    }

    /** How often the kernel of an op was called. */
    public long calls(Op<?> op) {
        return counter(op).get();
    }

    private AtomicLong counter(Op<?> op) {
        return calls.computeIfAbsent(op, o -> new AtomicLong());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int priority() {
        return priority;
    }

    @Override
    public DeviceType deviceType() {
        return device.device().type();
    }

    @Override
    public KernelSet kernels() {
        KernelSet.Builder out = KernelSet.builder();
        lent.asMap().forEach((op, kernel) -> put(out, op, own.getOrDefault(op, kernel)));
        own.forEach((op, kernel) -> {
            if (!lent.asMap().containsKey(op)) {
                put(out, op, kernel);
            }
        });
        return out.build();
    }

    private <K> void put(KernelSet.Builder out, Op<K> op, Object kernel) {
        AtomicLong counter = counter(op);
        out.put(
                op,
                op.kernelType()
                        .cast(Proxy.newProxyInstance(
                                op.kernelType().getClassLoader(),
                                new Class<?>[] {op.kernelType()},
                                (self, method, arguments) -> method.getDeclaringClass() == Object.class
                                        ? ofObject(self, method, arguments)
                                        : run(counter, kernel, method, arguments.clone()))));
    }

    private static Object ofObject(Object self, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> arguments != null && self == arguments[0];
            default -> "a kernel of a test double";
        };
    }

    private Outcome run(AtomicLong counter, Object kernel, Method method, @Nullable Object[] arguments)
            throws Throwable {
        counter.incrementAndGet();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof Tensor t) {
                arguments[i] = device.reveal(t);
            }
        }
        try {
            return (Outcome) method.invoke(kernel, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
