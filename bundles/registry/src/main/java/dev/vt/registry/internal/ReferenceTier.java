package dev.vt.registry.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.op.Policy;
import dev.vt.api.spi.OpProvider;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Lends the CPU's kernels to a device whose memory the host can address, at the lowest priority. Always slow, so it announces
 * itself once for each op and device and counts each use. It follows the CPU's selection of the moment, holding nothing of it.
 */
final class ReferenceTier {
    static final Origin ORIGIN = new Origin("dev.vt.registry", "0", "", "reference tier");
    static final Owner OWNER = new Owner(OpProvider.REFERENCE);

    private static final Logger LOG = System.getLogger("dev.vt.registry");
    private static final Device CPU = Device.of(DeviceType.CPU);
    private static final Outcome CAPTURING = Outcome.declined("the reference tier can't be captured");
    private static final Outcome NOTHING = Outcome.declined("no CPU kernel served the call");

    private final SelectionCore core;
    private final LongAdder hits = new LongAdder();
    private final Set<String> announced = ConcurrentHashMap.newKeySet();

    ReferenceTier(SelectionCore core) {
        this.core = core;
    }

    long hits() {
        return hits.sum();
    }

    /** Why the tier may not serve a device, or null when it may. */
    @Nullable
    String refusal(Device device) {
        if (device.type().equals(DeviceType.CPU)) {
            return "the CPU itself has no reference tier";
        }
        Optional<BackendEntry> backend = core.backend(device);
        if (backend.isEmpty()) {
            return "no backend is present for " + device;
        }
        if (!backend.get().backend().hostAddressable()) {
            return "the host can't address the memory of " + device
                    + backend.get()
                            .backend()
                            .hostAddressableNote()
                            .map(n -> ": " + n)
                            .orElse("");
        }
        Policy policy = core.policy(device);
        if (policy.fallback() != Policy.Fallback.ALLOW || !policy.permits(OpProvider.REFERENCE)) {
            return "policy of " + device + ": fallback=" + policy.fallback().label();
        }
        return null;
    }

    /** Why the tier may not serve an op on a device, as a few words. */
    String refusal(Op<?> op, Device device) {
        String device0 = refusal(device);
        if (device0 != null) {
            return "not eligible: " + device0;
        }
        return cpuHas(op) ? "not installed" : "not eligible: no CPU kernel for " + op;
    }

    private boolean cpuHas(Op<?> op) {
        Route cpu = core.table().route(op, CPU);
        return cpu != null && cpu.eligible.length > 0;
    }

    /** Installs the tier for one op; false when it may not be or is there already. */
    boolean lend(Op<?> op, Device device) {
        if (refusal(device) != null || !cpuHas(op)) {
            return false;
        }
        core.install(device, Map.of(op, lent(op, device)));
        return true;
    }

    /** Installs every op that the CPU has and the device lacks; returns how many are new. */
    int installAll(Device device) {
        if (refusal(device) != null) {
            return 0;
        }
        Map<Op<?>, ReferenceKernel> kernels = new HashMap<>();
        SelectionTable table = core.table();
        for (Op<?> op : table.offers.keySet()) {
            Route own = table.route(op, device);
            if (cpuHas(op) && (own == null || own.eligible.length == 0)) {
                kernels.put(op, lent(op, device));
            }
        }
        return core.install(device, kernels);
    }

    private ReferenceKernel lent(Op<?> op, Device device) {
        return new ReferenceKernel(Proxy.newProxyInstance(
                op.kernelType().getClassLoader(),
                new Class<?>[] {op.kernelType()},
                (self, method, arguments) -> method.getDeclaringClass() == Object.class
                        ? ofObject(self, method, arguments)
                        : serve(op, device, method, arguments.clone())));
    }

    private static Object ofObject(Object self, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> arguments != null && self == arguments[0];
            default -> OpProvider.REFERENCE;
        };
    }

    private Outcome serve(Op<?> op, Device device, Method method, @Nullable Object[] arguments) throws Throwable {
        Queue queue = (Queue) arguments[0];
        if (queue == null || queue.capturing()) {
            return CAPTURING;
        }
        Backend own = core.backend(device).orElseThrow().backend();
        Backend cpu = core.backend(CPU)
                .orElseThrow(() -> new VtException(
                        ErrorCode.NO_KERNEL, "op " + op + " on " + device + ": the CPU backend has left"))
                .backend();
        own.flushPending();
        queue.synchronize();
        PinSlot slot = core.pins.enter(core.table().epoch);
        try (Queue host = cpu.createQueue()) {
            arguments[0] = host;
            Outcome outcome = walk(core.table().route(op, CPU), method, arguments);
            host.synchronize();
            if (outcome == Outcome.SERVED) {
                hits.increment();
                announce(op, device);
            }
            return outcome;
        } finally {
            slot.exit();
        }
    }

    private static Outcome walk(@Nullable Route cpu, Method method, @Nullable Object[] arguments) throws Throwable {
        if (cpu != null) {
            for (Link link : cpu.eligible) {
                try {
                    if (method.invoke(link.kernel, arguments) == Outcome.SERVED) {
                        return Outcome.SERVED;
                    }
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }
        }
        return NOTHING;
    }

    private void announce(Op<?> op, Device device) {
        if (announced.add(op.name() + "@" + device)) {
            LOG.log(
                    Level.WARNING,
                    "op {0} on {1} runs on the CPU''s kernel (reference tier): this run is no performance measurement",
                    op.name(),
                    device);
        }
    }
}
