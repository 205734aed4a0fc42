package dev.vt.backend.cuda.internal.driver;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import jcuda.driver.JCudaDriver;

/** Looks at the code of each call for one device: what is fatal ends the device, all else is an error with the driver's words. */
final class Codes {
    private final DeviceState state;

    Codes(DeviceState state) {
        this.state = state;
    }

    void check(int code, String what) {
        if (code == CudaCode.SUCCESS) {
            return;
        }
        String said = said(code);
        if (CudaCode.fatal(code)) {
            state.fail(what + ": " + said);
            state.require(what);
        }
        throw new VtException(
                code == CudaCode.OUT_OF_MEMORY ? ErrorCode.OUT_OF_MEMORY : ErrorCode.KERNEL_FAILED,
                "backend cuda of " + state.device() + ": " + what + ": CUDA says " + said);
    }

    private static String said(int code) {
        String[] name = new String[1];
        String[] text = new String[1];
        JCudaDriver.cuGetErrorName(code, name);
        JCudaDriver.cuGetErrorString(code, text);
        return name[0] == null ? "error " + code : name[0] + " (" + code + "), " + text[0];
    }
}
