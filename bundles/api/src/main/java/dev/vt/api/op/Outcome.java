package dev.vt.api.op;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel answers: that it served the call, or, before it has written anything, that it can't and why. Declines are
 * constants made once (in a static final field), never per call: the registry counts them by identity first.
 */
public final class Outcome {
    /** The call is done, or queued. */
    public static final Outcome SERVED = new Outcome(null);

    private final @Nullable String reason;

    private Outcome(@Nullable String reason) {
        this.reason = reason;
    }

    /**
     * A decline.
     *
     * @param reason what the kernel needs and did not get, such as "K is not a multiple of 16"; never a value of the call
     */
    public static Outcome declined(String reason) {
        return new Outcome(Objects.requireNonNull(reason, "reason"));
    }

    public boolean served() {
        return reason == null;
    }

    /** Why the kernel declined; an empty text when it served. */
    public String reason() {
        return reason == null ? "" : reason;
    }

    @Override
    public String toString() {
        return reason == null ? "served" : "declined: " + reason;
    }
}
