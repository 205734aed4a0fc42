package dev.vt.api.op;

import dev.vt.api.device.Device;
import dev.vt.api.device.ProviderCaps;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Selects kernels. For each op and device the eligible providers are ordered by priority, highest first, then by name; nothing
 * else that can differ between two starts matters. As a {@link Dispatcher} it serves lone calls, each of which pins itself;
 * {@link #newContext()} gives one that pins once for a step. All methods may be called from any thread.
 */
@ProviderType
public interface OpRegistry extends Dispatcher {
    /** A context for steps of the calling code. */
    ExecutionContext newContext();

    /**
     * The selected kernel, held until the lease is closed.
     *
     * @throws NoKernelException naming every provider considered and why it was refused; counts a fallback
     */
    <K> OpLease<K> acquire(Op<K> op, Device device);

    /**
     * The kernel of a named provider, for tests and measurements: one that is eligible, or one that is refused for its results. Not
     * counted. Empty for a provider that is not there, is disabled, rejected or not permitted, or whose predicate says no.
     */
    <K> Optional<OpLease<K>> acquire(Op<K> op, Device device, String provider);

    /**
     * The kernel strictly below a named provider, for providers that split work; counts a decline of that provider. The provider
     * need not be enabled or selected. An unknown name is an error that does not count; nothing below is one that does.
     */
    <K> OpLease<K> fallback(Op<K> op, Device device, String decliningProvider);

    /** As {@link #fallback}, without counting. */
    <K> OpLease<K> below(Op<K> op, Device device, String provider);

    /** Counts a decline without a look-up. */
    void noteDecline(Op<?> op, Device device, String provider, String reason);

    /** Says whether a native kernel is eligible; the reference tier does not count. Never throws. */
    boolean registered(Op<?> op, Device device);

    /** Number of providers that have a kernel, whatever their eligibility; the reference tier and disabled ones count. */
    int providerCount(Op<?> op, Device device);

    /** The i-th of them in selection order, or null when there are fewer. */
    @Nullable
    String providerNameAt(Op<?> op, Device device, int i);

    /** All ops that some provider has, or had, a kernel for, sorted by name. */
    List<Op<?>> ops();

    /** The whole chain for one op on one device. */
    Selection explain(Op<?> op, Device device);

    /** The chains of all ops on all present devices that have one, sorted by device, then op. */
    List<Selection> selections();

    /** All providers, one row for each device of their type (one row with index 0 when none is present), sorted. */
    List<ProviderStatus> providers();

    /** Number of the present selection; it grows with each change. */
    long epoch();

    /**
     * Switches a provider off by name, on all ops and devices. Idempotent. Returns when no call is left inside one of its kernels.
     *
     * @return false when no present provider has this name; the name is kept and applies if one arrives
     */
    boolean disable(String name);

    /** Undoes {@link #disable}; false when the name was not disabled. */
    boolean enable(String name);

    /** Names that are switched off, sorted. */
    Set<String> disabled();

    /**
     * Takes one kernel of a provider out, since it was seen to compute wrongly. Selection moves on at once and the reason is shown
     * with the state {@link Selection.State#REFUSED}. It lasts until {@link #readmit} or until the provider leaves.
     *
     * @return false when the kernel was refused already; its reason is then replaced
     * @throws dev.vt.api.VtException if no provider of this name has a kernel for the op on the device, or it is the reference tier
     */
    boolean refuse(Op<?> op, Device device, String provider, String reason);

    /**
     * Undoes {@link #refuse}, and lets in a kernel that failed admission: it was seen to compute rightly since.
     *
     * @return false when the kernel was not refused for either reason
     * @throws dev.vt.api.VtException as for {@link #refuse}
     */
    boolean readmit(Op<?> op, Device device, String provider);

    /** Providers that admission keeps from being selected until they are tested: name, device, what they wait for; sorted. */
    List<String> pendingAdmissions();

    /**
     * Waits until no admission is pending.
     *
     * @return false when some still are at the end of the limit
     */
    boolean awaitAdmission(Duration limit) throws InterruptedException;

    /** Counters of one op on one device. */
    OpStats stats(Op<?> op, Device device);

    /** Zeroes selections, declines and fallbacks of one op on one device. */
    void resetStats(Op<?> op, Device device);

    /** Switches the exact counting of served calls on or off; off at first. */
    void countCalls(boolean on);

    boolean countsCalls();

    /** Counts calls on a device from now until it is closed. */
    CallCounts count(Device device);

    /** What the device's backend published, or {@link ProviderCaps#unknown}. */
    ProviderCaps caps(Device device);

    /** Publishes caps of a device again; predicates are evaluated anew. */
    void publishCaps(ProviderCaps caps);

    Policy policy(Device device);

    /** Sets what selection may do on one device. */
    void policy(Device device, Policy policy);

    /** Installs the reference tier for a device at once, where it is eligible; says how many kernels were installed. */
    int installReferenceTier(Device device);

    /** Why a device may or may not borrow the CPU's kernels. */
    String referenceTier(Device device);

    /** Calls that a borrowed CPU kernel served. Must be 0 in a performance run. */
    long referenceHits();

    /**
     * SHA-256, in hexadecimal, of the selection report without addresses and ids: two processes that would choose alike give the
     * same one.
     */
    String digest();
}
