package dev.vt.api.op;

import dev.vt.api.device.Device;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The whole story of one op on one device: every provider that has a kernel for it, in selection order, with its state.
 *
 * @param op the op's name
 * @param device the device
 * @param selected name of the provider whose kernel is asked first; null when none is eligible
 * @param chain all providers considered, in selection order
 * @param fallbacks calls and look-ups that found nothing eligible
 */
public record Selection(String op, Device device, @Nullable String selected, List<Link> chain, long fallbacks) {
    public Selection {
        Objects.requireNonNull(op, "op");
        Objects.requireNonNull(device, "device");
        chain = List.copyOf(chain);
    }

    /** Where a provider stands. */
    public enum State {
        /** Its kernel is asked first. */
        SELECTED,
        /** Eligible, asked when those above decline. */
        BELOW,
        /** Switched off by name. */
        DISABLED,
        /** Its predicate said no, or its kernels failed admission. */
        REFUSED,
        /** Broken or ambiguous: bad name, exception, second of a name. */
        REJECTED,
        /** Policy keeps it out. */
        NOT_PERMITTED;

        /** The form that people and JSON see: {@code not permitted}. */
        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
        }
    }

    /**
     * One provider in the chain.
     *
     * @param name the provider's name
     * @param priority its priority
     * @param state where it stands
     * @param reason why, in a few words
     * @param bundle symbolic name (or module name) of what it comes from
     * @param version version of that
     * @param selections calls that its kernel served while call counting was on
     * @param declines its declines by reason
     */
    public record Link(
            String name,
            int priority,
            State state,
            String reason,
            String bundle,
            String version,
            long selections,
            Map<String, Long> declines) {
        public Link {
            declines = Map.copyOf(declines);
        }
    }
}
