package dev.vt.backend.cuda.internal.driver;

import org.jspecify.annotations.Nullable;

/**
 * What looking for a driver and devices found. Looking touches no class of JCuda.
 *
 * @param library the driver's library, null where nothing can be used
 * @param devices number of devices, in the order of the driver
 * @param reason why nothing can be used, else empty
 */
public record DriverProbe(@Nullable DriverLibrary library, int devices, String reason) {
    /** CUDA 12.0, driver 525: the first that has all functions JCuda's library is bound to. */
    private static final int OLDEST = 12000;

    /** Looks. */
    public static DriverProbe look() {
        DriverLibrary library = DriverLibrary.open().orElse(null);
        if (library == null) {
            return none("no NVIDIA driver: " + DriverLibrary.wanted() + " can't be loaded");
        }
        int code = library.init();
        if (code == CudaCode.NO_DEVICE) {
            return none("the driver shows no device to this process (CUDA_VISIBLE_DEVICES is "
                    + visible(System.getenv("CUDA_VISIBLE_DEVICES")) + ")");
        }
        if (code != CudaCode.SUCCESS) {
            return none("the driver does not start: cuInit of " + library.name() + " gives CUDA error " + code);
        }
        int version = library.version();
        if (version < OLDEST) {
            return none("the driver is too old: expected CUDA " + text(OLDEST) + " or newer, given " + text(version));
        }
        int devices = library.devices();
        return devices > 0
                ? new DriverProbe(library, devices, "")
                : none("the driver shows no device to this process (CUDA_VISIBLE_DEVICES is "
                        + visible(System.getenv("CUDA_VISIBLE_DEVICES")) + ")");
    }

    private static DriverProbe none(String reason) {
        return new DriverProbe(null, 0, reason);
    }

    private static String visible(@Nullable String value) {
        return value == null ? "not set" : "'" + value + "'";
    }

    private static String text(int version) {
        return version / 1000 + "." + version % 1000 / 10;
    }
}
