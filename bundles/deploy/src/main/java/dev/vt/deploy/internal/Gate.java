package dev.vt.deploy.internal;

import java.util.Optional;

/**
 * The one place between staging and installing where a bundle can be turned away: trust and admission belong here. The
 * deployer's thread calls it, with a copy that nobody else can change.
 */
@FunctionalInterface
interface Gate {
    /** Lets everything in. */
    Gate OPEN = staged -> Optional.empty();

    /** The reason for which this bundle may not be installed, as one sentence; empty when it may. */
    Optional<String> refusal(Staged staged);
}
