package dev.vt.backend.cuda.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.registry.BackendStatus;
import dev.vt.api.registry.BackendStatus.State;
import dev.vt.api.spi.BackendFinder;
import dev.vt.backend.cuda.internal.driver.DeviceContext;
import dev.vt.backend.cuda.internal.driver.DeviceState;
import dev.vt.backend.cuda.internal.driver.DriverLibrary;
import dev.vt.backend.cuda.internal.driver.DriverProbe;
import dev.vt.backend.cuda.internal.launch.KernelCompiler;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the CUDA devices that the driver shows to this process, in the driver's order; CUDA_VISIBLE_DEVICES is the driver's
 * business and is not read here. Without a driver or device it logs one line, reports {@code cuda:0} as absent and touches no
 * class of JCuda. Stateless; any thread may call it.
 */
public final class CudaFinder implements BackendFinder {
    private static final System.Logger LOG = System.getLogger("dev.vt.backend.cuda");

    @Override
    public List<Backend> find(Consumer<BackendStatus> statuses) {
        DriverProbe probe = DriverProbe.look();
        DriverLibrary library = probe.library();
        if (library == null) {
            LOG.log(System.Logger.Level.INFO, "no CUDA device: {0}", probe.reason());
            statuses.accept(status(Device.of(DeviceType.CUDA), State.ABSENT, probe.reason()));
            return List.of();
        }
        List<Backend> found = new ArrayList<>();
        for (int i = 0; i < Math.min(probe.devices(), Device.LIMIT); i++) {
            Device device = Device.of(DeviceType.CUDA, i);
            try {
                found.add(open(library, device, statuses));
            } catch (VtException | LinkageError e) {
                String reason = "can't be opened: " + firstLine(e);
                LOG.log(System.Logger.Level.WARNING, "device {0} {1}", device, reason);
                statuses.accept(status(device, State.FAILED, reason));
            }
        }
        return found;
    }

    private static Backend open(DriverLibrary library, Device device, Consumer<BackendStatus> statuses) {
        DeviceState state = new DeviceState(device.toString(), reason -> tell(device, reason, statuses));
        KernelCompiler compiler = KernelCompiler.find();
        DeviceContext context = new DeviceContext(library, device.index(), state);
        return new CudaBackend(new CudaDevice(device, context, compiler, FaultCarrier.create()), compiler);
    }

    /** On a thread of its own, since the one that met the failure is in the middle of a call and may hold a queue. */
    private static void tell(Device device, String reason, Consumer<BackendStatus> statuses) {
        Thread.ofPlatform().name("vt-cuda-failure-" + device.index()).daemon().start(() -> {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "device {0} has failed and can''t be used again in this process: {1}",
                    device,
                    reason);
            statuses.accept(status(device, State.FAILED, reason));
        });
    }

    private static String firstLine(Throwable e) {
        return e.getClass().getSimpleName() + ": "
                + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    private static BackendStatus status(Device device, State state, String reason) {
        return new BackendStatus(device, state, CudaBackend.NAME, reason);
    }
}
