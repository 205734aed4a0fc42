package dev.vt.registry.internal;

import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Event;
import dev.vt.api.device.Graph;
import dev.vt.api.device.KernelOwner;
import dev.vt.api.device.Memory;
import dev.vt.api.device.MemoryUse;
import dev.vt.api.device.ProviderCaps;
import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.AdmissionTest;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Devices and providers for tests of selection: they decide and count, they compute nothing. */
final class Doubles {
    static final Device CPU = Device.of(DeviceType.CPU);
    static final DeviceType XPU = new DeviceType("xpu", 4);

    private Doubles() {}

    /** The origin of a test's provider. */
    static Origin origin(String bundle) {
        return new Origin(bundle, "1.0.0", bundle, "component");
    }

    static Registry registry() {
        return new Registry(Settings.none());
    }

    /** A registry that has cpu:0. */
    static Registry cpuRegistry() {
        Registry r = registry();
        r.add(new FakeBackend(CPU), origin("cpu"));
        return r;
    }

    /** A provider whose relu kernel counts its calls. */
    static final class FakeProvider implements OpProvider {
        final String name;
        final int priority;
        final DeviceType type;
        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger asked = new AtomicInteger();
        Predicate<ProviderCaps> supports = caps -> true;
        Outcome answer = Outcome.SERVED;
        Runnable inside = () -> {};
        List<Op<Unary>> ops = List.of(OpTable.RELU);

        FakeProvider(String name, int priority) {
            this(name, priority, DeviceType.CPU);
        }

        FakeProvider(String name, int priority, DeviceType type) {
            this.name = name;
            this.priority = priority;
            this.type = type;
        }

        FakeProvider declines(String reason) {
            answer = Outcome.declined(reason);
            return this;
        }

        FakeProvider needs(Predicate<ProviderCaps> predicate) {
            supports = predicate;
            return this;
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
            return type;
        }

        @Override
        public boolean supports(ProviderCaps caps) {
            asked.incrementAndGet();
            return supports.test(caps);
        }

        @Override
        public KernelSet kernels() {
            KernelSet.Builder b = KernelSet.builder();
            for (Op<Unary> op : ops) {
                b.put(op, (queue, out, x) -> {
                    calls.incrementAndGet();
                    inside.run();
                    return answer;
                });
            }
            return b.build();
        }
    }

    /** A device that has memory and queues that do nothing. */
    static final class FakeBackend implements Backend {
        final Device device;
        final AtomicInteger flushes = new AtomicInteger();
        final AtomicInteger drains = new AtomicInteger();
        final List<FakeQueue> queues = new ArrayList<>();
        volatile ProviderCaps caps;
        boolean addressable = true;

        @Nullable
        String note;

        int priority;
        String name = "fake";

        FakeBackend(Device device) {
            this.device = device;
            this.caps = new ProviderCaps(device, true, 9, 0, 4, 0b101);
        }

        @Override
        public Device device() {
            return device;
        }

        @Override
        public int priority() {
            return priority;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String description() {
            return "a device for tests";
        }

        @Override
        public String id() {
            return "id-" + device;
        }

        @Override
        public ProviderCaps caps() {
            return caps;
        }

        @Override
        public List<String> featureNames() {
            return List.of();
        }

        @Override
        public boolean unifiedMemory() {
            return true;
        }

        @Override
        public boolean hostAddressable() {
            return addressable;
        }

        @Override
        public Optional<String> hostAddressableNote() {
            return Optional.ofNullable(note);
        }

        @Override
        public Memory allocate(long bytes) {
            return new FakeMemory(device, Arena.ofAuto().allocate(Math.max(1, bytes), 64), bytes);
        }

        @Override
        public Memory allocatePinned(long bytes) {
            return allocate(bytes);
        }

        @Override
        public void memset(Queue queue, Memory memory, long offset, byte value, long bytes) {}

        @Override
        public void copy(Queue queue, Memory to, long toOffset, Memory from, long fromOffset, long bytes) {}

        @Override
        public void upload(Queue queue, Memory to, long toOffset, MemorySegment from) {}

        @Override
        public void download(Queue queue, MemorySegment to, Memory from, long fromOffset) {}

        @Override
        public synchronized Queue createQueue() {
            FakeQueue q = new FakeQueue(device);
            queues.add(q);
            return q;
        }

        @Override
        public Event createEvent(boolean blocking) {
            throw new AssertionError("no test of selection needs events");
        }

        @Override
        public void flushPending() {
            flushes.incrementAndGet();
        }

        @Override
        public void drain() {
            drains.incrementAndGet();
        }

        @Override
        public MemoryUse memoryUse() {
            return new MemoryUse(0, 0, 0, 0, queues.size());
        }

        /** A tensor of n floats on this device. */
        Tensor floats(long... shape) {
            return Tensor.of(allocate(Tensor.bytes(DType.F32, shape)), DType.F32, shape);
        }
    }

    record FakeMemory(Device device, MemorySegment segment, long size) implements Memory {
        @Override
        public long id() {
            return 1;
        }

        @Override
        public boolean hostAddressable() {
            return true;
        }

        @Override
        public boolean closed() {
            return false;
        }

        @Override
        public void close() {}
    }

    /** A queue that remembers whose kernels were captured. */
    static final class FakeQueue implements Queue {
        private static final AtomicLong IDS = new AtomicLong();
        final long id = IDS.incrementAndGet();
        final Device device;
        final List<KernelOwner> owners = new ArrayList<>();
        final AtomicInteger synchronizations = new AtomicInteger();
        boolean capturing;
        boolean closed;

        FakeQueue(Device device) {
            this.device = device;
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public Device device() {
            return device;
        }

        @Override
        public void synchronize() {
            synchronizations.incrementAndGet();
        }

        @Override
        public void record(Event event) {}

        @Override
        public void waitFor(Event event) {}

        @Override
        public boolean capturing() {
            return capturing;
        }

        @Override
        public void noteOwner(KernelOwner owner) {
            owners.add(owner);
        }

        @Override
        public void beginCapture() {
            capturing = true;
        }

        @Override
        public Graph endCapture() {
            throw new AssertionError("no test of selection ends a capture");
        }

        @Override
        public void endCaptureStored() {}

        @Override
        public void replayStored() {}

        @Override
        public void close() {
            closed = true;
        }
    }

    /** A test kit that finds what it is told to find. */
    static final class FakeKit implements AdmissionTest {
        /** Op names and sentences by provider. */
        final Map<String, Map<Op<?>, String>> wrong = new ConcurrentHashMap<>();

        final List<String> tested = new CopyOnWriteArrayList<>();
        final List<Thread> threads = new CopyOnWriteArrayList<>();
        final AtomicInteger interrupts = new AtomicInteger();

        /** Runs in each test. */
        Consumer<String> inside = provider -> {};

        FakeKit finds(String provider, Op<?> op, String sentence) {
            wrong.computeIfAbsent(provider, p -> new ConcurrentHashMap<>()).put(op, sentence);
            return this;
        }

        @Override
        public Map<Op<?>, String> failures(Backend backend, String provider, KernelSet kernels, Level level) {
            tested.add(provider + " " + backend.device() + " " + level);
            threads.add(Thread.currentThread());
            inside.accept(provider);
            return wrong.getOrDefault(provider, Map.of());
        }

        /** Waits until a latch opens, interrupted or not. */
        void stubborn(CountDownLatch latch) {
            while (true) {
                try {
                    if (!latch.await(60, TimeUnit.SECONDS)) {
                        throw new AssertionError("the test never let go");
                    }
                    return;
                } catch (InterruptedException e) {
                    interrupts.incrementAndGet();
                }
            }
        }
    }

    /** A source with declared service properties. */
    record FakeSource(Map<String, @Nullable Object> properties, Origin origin, OpProvider provider, AtomicInteger made)
            implements ProviderSource {
        FakeSource(Map<String, @Nullable Object> properties, Origin origin, OpProvider provider) {
            this(properties, origin, provider, new AtomicInteger());
        }

        @Override
        public OpProvider instance() {
            made.incrementAndGet();
            return provider;
        }
    }
}
