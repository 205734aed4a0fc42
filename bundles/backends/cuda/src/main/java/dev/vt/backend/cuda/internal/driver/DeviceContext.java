package dev.vt.backend.cuda.internal.driver;

import dev.vt.natives.jcuda.DeviceAddress;
import dev.vt.natives.jcuda.HostAddress;
import dev.vt.natives.jcuda.StreamHandle;
import java.util.Optional;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * The driver's calls for one device: the one place that calls JCuda and looks at CUDA's codes. Each call makes the device's
 * primary context current first, since a context belongs to a thread of the system and a virtual thread has a new one after
 * each wait; nothing between that and the call can wait. Any thread may call it. After a fatal code every call is refused with
 * one sentence, and what only gives something back does nothing. It never switches on JCuda's exceptions, which is one setting
 * for all users of JCuda in the process.
 */
public final class DeviceContext implements AutoCloseable {
    /** What a launch may ask for of any function. */
    private static final int SHARED_WITHOUT_ASKING = 48 << 10;

    private final DriverLibrary library;
    private final DeviceState state;
    private final Codes codes;
    private final CUdevice device = new CUdevice();
    private final CUcontext context = new CUcontext();
    private final DeviceInfo info;
    private final Optional<TensorMaps> maps;

    /** Opens a device: its primary context stays until {@link #close}. */
    public DeviceContext(DriverLibrary library, int ordinal, DeviceState state) {
        this.library = library;
        this.state = state;
        this.codes = new Codes(state);
        check(JCudaDriver.cuInit(0), "cuInit");
        check(JCudaDriver.cuDeviceGet(device, ordinal), "cuDeviceGet");
        this.info = DeviceInfo.read(codes, device, ordinal);
        check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "cuDevicePrimaryCtxRetain");
        enter("open");
        // Asks the driver, which answers only where a context is current.
        this.maps = info.major() == 9 ? TensorMaps.of(library) : Optional.empty();
        // Freed memory stays with the process while anything is open: asking the system again costs a hundred times as
        // much.
        library.keepFreed(ordinal, Long.MAX_VALUE);
    }

    public DeviceInfo info() {
        return info;
    }

    /** How matrices are described to the copy engine, where the device has the one of compute capability 9.0. */
    public Optional<TensorMaps> maps() {
        return maps;
    }

    public DeviceState state() {
        return state;
    }

    /** Makes the context current on the calling thread, for what is called next. */
    public void enter(String what) {
        state.require(what);
        check(JCudaDriver.cuCtxSetCurrent(context), what);
    }

    /** The same for what only gives something back: false, and nothing thrown, once the device has failed or is closed. */
    public boolean entered() {
        return state.usable() && JCudaDriver.cuCtxSetCurrent(context) == CudaCode.SUCCESS;
    }

    // ---- memory ----

    /** Address of new memory, or 0 when none is left. */
    public long allocate(long bytes, CUstream stream) {
        enter("allocate");
        DeviceAddress address = new DeviceAddress();
        int code = JCudaDriver.cuMemAllocAsync(address, bytes, stream);
        if (code == CudaCode.OUT_OF_MEMORY) {
            return 0;
        }
        check(code, "cuMemAllocAsync");
        return address.address();
    }

    public void free(long address, CUstream stream) {
        if (entered()) {
            check(JCudaDriver.cuMemFreeAsync(DeviceAddress.of(address), stream), "cuMemFreeAsync");
        }
    }

    /** Gives freed memory that the pool keeps back to the system. */
    public void trim() {
        library.trim(info.ordinal());
    }

    /** Address of new page-locked memory, or 0 when none is left. */
    public long allocateHost(long bytes) {
        enter("allocatePinned");
        HostAddress address = new HostAddress();
        int code = JCudaDriver.cuMemHostAlloc(
                address, bytes, JCudaDriver.CU_MEMHOSTALLOC_PORTABLE | JCudaDriver.CU_MEMHOSTALLOC_DEVICEMAP);
        if (code == CudaCode.OUT_OF_MEMORY) {
            return 0;
        }
        check(code, "cuMemHostAlloc");
        return address.address();
    }

    public void freeHost(long address) {
        if (entered()) {
            check(JCudaDriver.cuMemFreeHost(HostAddress.of(address)), "cuMemFreeHost");
        }
    }

    /**
     * Locks pages of ordinary memory, which is read alone, so that the device copies from them directly; false where the driver does
     * not do that, or not for this memory.
     */
    public boolean lockPages(long address, long bytes) {
        enter("upload");
        int code =
                JCudaDriver.cuMemHostRegister(HostAddress.of(address), bytes, JCudaDriver.CU_MEMHOSTREGISTER_READ_ONLY);
        if (CudaCode.fatal(code)) {
            check(code, "cuMemHostRegister");
        }
        return code == CudaCode.SUCCESS;
    }

    public void unlockPages(long address) {
        if (entered()) {
            check(JCudaDriver.cuMemHostUnregister(HostAddress.of(address)), "cuMemHostUnregister");
        }
    }

    // ---- transfers ----

    public void upload(long to, long from, long bytes, CUstream stream) {
        enter("upload");
        check(
                JCudaDriver.cuMemcpyHtoDAsync(DeviceAddress.of(to), HostAddress.of(from), bytes, stream),
                "cuMemcpyHtoDAsync");
    }

    public void download(long to, long from, long bytes, CUstream stream) {
        enter("download");
        check(
                JCudaDriver.cuMemcpyDtoHAsync(HostAddress.of(to), DeviceAddress.of(from), bytes, stream),
                "cuMemcpyDtoHAsync");
    }

    public void copy(long to, long from, long bytes, CUstream stream) {
        enter("copy");
        check(
                JCudaDriver.cuMemcpyDtoDAsync(DeviceAddress.of(to), DeviceAddress.of(from), bytes, stream),
                "cuMemcpyDtoDAsync");
    }

    public void memset(long to, byte value, long bytes, CUstream stream) {
        enter("memset");
        check(JCudaDriver.cuMemsetD8Async(DeviceAddress.of(to), value, bytes, stream), "cuMemsetD8Async");
    }

    // ---- streams and events ----

    public StreamHandle createStream() {
        enter("createQueue");
        StreamHandle stream = new StreamHandle();
        // Non-blocking: the legacy default stream, which another library may use, must not order our work.
        check(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING), "cuStreamCreate");
        return stream;
    }

    public void destroyStream(CUstream stream) {
        if (entered()) {
            check(JCudaDriver.cuStreamDestroy(stream), "cuStreamDestroy");
        }
    }

    public void synchronize(CUstream stream, String what) {
        enter(what);
        check(JCudaDriver.cuStreamSynchronize(stream), what);
    }

    /** Whether all work of the stream is done. */
    public boolean idle(CUstream stream) {
        enter("query");
        return done(JCudaDriver.cuStreamQuery(stream), "cuStreamQuery");
    }

    /** An event without timing; {@code blocking} lets waiting threads sleep. */
    public CUevent createEvent(boolean blocking) {
        enter("createEvent");
        CUevent event = new CUevent();
        int flags = CUevent_flags.CU_EVENT_DISABLE_TIMING | (blocking ? CUevent_flags.CU_EVENT_BLOCKING_SYNC : 0);
        check(JCudaDriver.cuEventCreate(event, flags), "cuEventCreate");
        return event;
    }

    public void destroyEvent(CUevent event) {
        if (entered()) {
            check(JCudaDriver.cuEventDestroy(event), "cuEventDestroy");
        }
    }

    public void record(CUevent event, CUstream stream) {
        enter("record");
        check(JCudaDriver.cuEventRecord(event, stream), "cuEventRecord");
    }

    public boolean query(CUevent event) {
        enter("query");
        return done(JCudaDriver.cuEventQuery(event), "cuEventQuery");
    }

    public void synchronize(CUevent event) {
        enter("synchronize");
        check(JCudaDriver.cuEventSynchronize(event), "cuEventSynchronize");
    }

    public void await(CUstream stream, CUevent event) {
        enter("waitFor");
        check(JCudaDriver.cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
    }

    private boolean done(int code, String what) {
        if (code == CudaCode.NOT_READY) {
            return false;
        }
        check(code, what);
        return true;
    }

    // ---- capture and graphs ----

    /**
     * Starts a capture that no call of any thread can break. Relaxed, not thread-local: a thread-local capture must end on the
     * thread of the system that began it, which a virtual thread can't promise; what it would forbid the capturing thread, the
     * backend refuses by itself.
     */
    public void beginCapture(CUstream stream) {
        enter("beginCapture");
        check(
                JCudaDriver.cuStreamBeginCapture(stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED),
                "cuStreamBeginCapture");
    }

    public CUgraph endCapture(CUstream stream) {
        enter("endCapture");
        CUgraph graph = new CUgraph();
        check(JCudaDriver.cuStreamEndCapture(stream, graph), "cuStreamEndCapture");
        return graph;
    }

    public int nodes(CUgraph graph) {
        enter("endCapture");
        long[] count = new long[1];
        // Without an array: given one, JCuda hands the driver a count that it never set.
        check(JCudaDriver.cuGraphGetNodes(graph, null, count), "cuGraphGetNodes");
        return (int) count[0];
    }

    public CUgraphExec instantiate(CUgraph graph) {
        enter("endCapture");
        CUgraphExec exec = new CUgraphExec();
        check(JCudaDriver.cuGraphInstantiate(exec, graph, 0), "cuGraphInstantiate");
        return exec;
    }

    public void destroy(CUgraph graph) {
        if (entered()) {
            check(JCudaDriver.cuGraphDestroy(graph), "cuGraphDestroy");
        }
    }

    public void destroy(CUgraphExec exec) {
        if (entered()) {
            check(JCudaDriver.cuGraphExecDestroy(exec), "cuGraphExecDestroy");
        }
    }

    public void launch(CUgraphExec exec, CUstream stream) {
        enter("replay");
        check(JCudaDriver.cuGraphLaunch(exec, stream), "cuGraphLaunch");
    }

    // ---- kernels ----

    /** Loads a compiled module; a text module ends in a zero byte. */
    public CUmodule load(byte[] image) {
        enter("load kernels");
        CUmodule module = new CUmodule();
        check(JCudaDriver.cuModuleLoadData(module, image), "cuModuleLoadData");
        return module;
    }

    public void unload(CUmodule module) {
        if (entered()) {
            check(JCudaDriver.cuModuleUnload(module), "cuModuleUnload");
        }
    }

    /**
     * A kernel of a module, which may ask for so many bytes of shared memory at a launch and whose blocks form clusters of so
     * many. The driver has one function for each module and name, so a module is loaded once for each size of clusters.
     */
    public CUfunction function(CUmodule module, String name, int shared, int cluster) {
        enter("load kernels");
        CUfunction function = new CUfunction();
        check(JCudaDriver.cuModuleGetFunction(function, module, name), "cuModuleGetFunction of " + name);
        if (shared > SHARED_WITHOUT_ASKING) {
            attribute(function, CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared, name);
        }
        if (cluster > 1) {
            attribute(function, CUfunction_attribute.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, cluster, name);
            attribute(function, CUfunction_attribute.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1, name);
            attribute(function, CUfunction_attribute.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1, name);
        }
        return function;
    }

    private void attribute(CUfunction function, int attribute, int value, String name) {
        check(JCudaDriver.cuFuncSetAttribute(function, attribute, value), "cuFuncSetAttribute of " + name);
    }

    /** Launches a kernel; {@code parameters} is a native array of addresses of the arguments. */
    public void launch(
            CUfunction function,
            int x,
            int y,
            int z,
            int threads,
            int shared,
            CUstream stream,
            HostAddress parameters) {
        enter("launch");
        check(launchCode(function, x, y, z, threads, shared, stream, parameters), "cuLaunchKernel");
    }

    @SuppressWarnings("NullAway") // JCuda takes null for the second form of parameters, which is not used.
    private static int launchCode(
            CUfunction function,
            int x,
            int y,
            int z,
            int threads,
            int shared,
            CUstream stream,
            HostAddress parameters) {
        return JCudaDriver.cuLaunchKernel(function, x, y, z, threads, 1, 1, shared, stream, parameters, null);
    }

    private void check(int code, String what) {
        codes.check(code, what);
    }

    /** Gives the context back; all that was made in it must be gone. */
    @Override
    public void close() {
        state.close();
        JCudaDriver.cuDevicePrimaryCtxRelease(device);
    }
}
