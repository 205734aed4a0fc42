package dev.vt.api;

import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The root of every exception that this runtime throws on purpose. The message is one sentence that names the device,
 * op or argument, what was expected, what was given, and, where there is one, the next step.
 */
public class VtException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public VtException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public VtException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = Objects.requireNonNull(code, "code");
    }

    /** Says which kind of failure this is. */
    public final ErrorCode code() {
        return code;
    }

    /** An argument that breaks a contract. */
    public static VtException invalidArgument(String message) {
        return new VtException(ErrorCode.INVALID_ARGUMENT, message);
    }

    /** A name that matches nothing. */
    public static VtException notFound(String message) {
        return new VtException(ErrorCode.NOT_FOUND, message);
    }

    /** Something that the device or build can't do. */
    public static VtException unsupported(String message) {
        return new VtException(ErrorCode.UNSUPPORTED, message);
    }

    /** A handle used after it was closed. */
    public static VtException closed(String message) {
        return new VtException(ErrorCode.CLOSED, message);
    }
}
