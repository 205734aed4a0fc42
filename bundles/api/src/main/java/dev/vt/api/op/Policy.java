package dev.vt.api.op;

import java.util.Set;

/**
 * What selection may do on one device.
 *
 * @param fallback what happens when a kernel declines or is missing
 * @param allow names of the only providers permitted; empty permits all
 * @param deny names of providers kept out, whatever {@code allow} says
 */
public record Policy(Fallback fallback, Set<String> allow, Set<String> deny) {
    /** Everything is permitted. */
    public static final Policy DEFAULT = new Policy(Fallback.ALLOW, Set.of(), Set.of());

    public Policy {
        allow = Set.copyOf(allow);
        deny = Set.copyOf(deny);
    }

    /** How far a call may fall. */
    public enum Fallback {
        /** A decline goes to the next provider, the reference tier included. */
        ALLOW,
        /** A decline goes to the next provider, never to the reference tier. */
        REFERENCE_OFF,
        /** A decline is an error. */
        STRICT;

        /** The form of configuration files: {@code reference-off}. */
        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    public boolean permits(String provider) {
        return !deny.contains(provider) && (allow.isEmpty() || allow.contains(provider));
    }
}
