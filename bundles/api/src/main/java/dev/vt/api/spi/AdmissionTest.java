package dev.vt.api.spi;

import dev.vt.api.device.Backend;
import dev.vt.api.op.Op;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Finds out whether a provider's kernels compute what their ops say, before the registry lets any of them be selected. Register
 * it as a service (in OSGi) or provide it to {@link java.util.ServiceLoader} (on a plain module path). The registry calls it on a
 * thread of its own, without a lock, for one provider at a time.
 */
@ConsumerType
public interface AdmissionTest {
    /** How much is tested. */
    enum Level {
        /** Few small shapes for each op: what a start can afford. */
        QUICK,
        /** All shapes. */
        FULL
    }

    /**
     * Runs the kernels of a provider on a device. Allocates on the backend and frees everything that it allocated. When its thread
     * is interrupted it ends soon; the result is then dropped. Whatever it throws refuses all kernels of the provider.
     *
     * @param backend the device's backend
     * @param provider the provider's name, for messages
     * @param kernels its kernels
     * @param level how much is tested
     * @return for each op whose kernel failed one sentence: op, shape, expected, given; ops that passed are not in it
     */
    Map<Op<?>, String> failures(Backend backend, String provider, KernelSet kernels, Level level);
}
