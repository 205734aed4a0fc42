package dev.vt.api.op;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.io.Serial;

/** No kernel can serve a call; the message names every provider that was considered and why it was refused. */
public final class NoKernelException extends VtException {
    @Serial
    private static final long serialVersionUID = 1L;

    public NoKernelException(String message) {
        super(ErrorCode.NO_KERNEL, message);
    }
}
