package dev.vt.api.device;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.io.Serial;

/** A graph can't be replayed since something that it holds has gone; capturing again works. */
public final class StaleGraphException extends VtException {
    @Serial
    private static final long serialVersionUID = 1L;

    public StaleGraphException(String message) {
        super(ErrorCode.STALE_GRAPH, message);
    }
}
