package dev.vt.backend.cuda.internal;

import dev.vt.api.device.Device;
import dev.vt.api.device.Event;
import dev.vt.api.device.Graph;
import dev.vt.api.device.Memory;
import dev.vt.api.device.MemoryUse;
import dev.vt.backend.cuda.CudaContext;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import dev.vt.backend.cuda.internal.launch.KernelCompiler;
import dev.vt.backend.cuda.internal.launch.LoadedKernels;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUgraph;

/**
 * The parts of one CUDA device and the order in which they end: queues first, with what they hold, then graphs, events, memory
 * and kernels, then the context. The backend owns it; any thread may call it.
 */
final class CudaDevice implements CudaContext, AutoCloseable {
    private final Device device;
    private final DeviceContext context;
    private final QueueSet queues;
    private final DeviceHeap heap;
    private final PinnedPool pinned;
    private final MemoryPool memories;
    private final Transfers transfers;
    private final KernelCompiler compiler;
    private final LoadedKernels kernels;
    private final FaultCarrier carrier;
    private final CaptureGate captures;
    private final Set<CudaGraph> graphs = ConcurrentHashMap.newKeySet();
    private final Set<CudaEvent> events = ConcurrentHashMap.newKeySet();

    CudaDevice(Device device, DeviceContext context, KernelCompiler compiler, FaultCarrier carrier) {
        this.device = device;
        this.context = context;
        this.carrier = carrier;
        this.compiler = compiler;
        this.queues = new QueueSet(context);
        this.heap = new DeviceHeap(context, queues);
        this.pinned = new PinnedPool(context);
        this.memories = new MemoryPool(device, context.state(), context.info().bytes(), queues, heap, pinned);
        this.transfers = new Transfers(device, context, pinned);
        this.kernels = new LoadedKernels(context, compiler);
        this.captures = new CaptureGate(device);
    }

    Device device() {
        return device;
    }

    DeviceContext context() {
        return context;
    }

    @Override
    public boolean enter() {
        return context.entered();
    }

    @Override
    public void betweenCaptures(Runnable work) {
        captures.between(work);
    }

    CaptureGate captures() {
        return captures;
    }

    LoadedKernels kernels() {
        return kernels;
    }

    FaultCarrier carrier() {
        return carrier;
    }

    Transfers transfers() {
        return transfers;
    }

    Memory allocate(long bytes) {
        return memories.allocate(bytes);
    }

    Memory allocatePinned(long bytes) {
        return memories.allocatePinned(bytes);
    }

    /** Scratch memory of a queue, or of a graph, which keeps all it ever had. */
    Scratch createScratch(boolean keeps) {
        return new Scratch(context.state(), heap, keeps);
    }

    FaultRecord createFaults() {
        return new FaultRecord(context, heap, pinned);
    }

    StreamQueue createQueue() {
        StreamQueue queue = new StreamQueue(this);
        heap.admit(queue);
        queue.start();
        return queue;
    }

    void left(StreamQueue queue) {
        queues.remove(queue);
    }

    Event createEvent(boolean blocking) {
        CudaEvent event = new CudaEvent(this, blocking);
        events.add(event);
        return event;
    }

    void left(CudaEvent event) {
        events.remove(event);
    }

    Graph graph(CUgraph raw, Capture recorded) {
        CudaGraph graph = CudaGraph.of(this, raw, recorded);
        graphs.add(graph);
        return graph;
    }

    void left(CudaGraph graph) {
        graphs.remove(graph);
    }

    void drain() {
        queues.drain();
    }

    MemoryUse memoryUse() {
        return memories.use();
    }

    @Override
    public void close() {
        queues.close();
        graphs.forEach(CudaGraph::close);
        events.forEach(CudaEvent::close);
        memories.close();
        transfers.close();
        kernels.close();
        compiler.close();
        heap.close();
        pinned.close();
        context.close();
    }
}
