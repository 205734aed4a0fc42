package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import dev.vt.api.op.Op;
import dev.vt.api.spi.AdmissionTest;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One admission test: a provider on a device's backend, by a test kit. Its result is kept by the provider for that backend; a new
 * kit or level asks for another test, and the old result stays in force until that has ended.
 *
 * @param entry the provider
 * @param backend the backend of the device
 * @param kit what tests; null while there is none
 * @param level how much is tested
 */
record Trial(
        ProviderEntry entry, BackendEntry backend, @Nullable Kit kit, AdmissionTest.Level level) {
    /** A present test kit. */
    record Kit(AdmissionTest test, Origin origin, Owner owner) {}

    /**
     * What a test found. Holds nothing of the kit itself, which may leave.
     *
     * @param kit the kit's owner, by whose identity the kit is known again
     * @param level how much was tested
     * @param failures refused ops and why
     */
    record Result(@Nullable Owner kit, AdmissionTest.Level level, Map<Op<?>, String> failures) {
        /** Says whether a test would tell more. */
        boolean outdated(Trial wanted) {
            return wanted.kit != null && (kit != wanted.kit.owner || level != wanted.level);
        }
    }

    Result result(Map<Op<?>, String> failures) {
        return new Result(kit == null ? null : kit.owner, level, new TreeMap<>(failures));
    }

    Device device() {
        return backend.device();
    }

    /** Enters all that is used by the test; false when one of them is leaving. */
    boolean enter() {
        if (kit == null || !entry.owner.enter()) {
            return false;
        }
        if (!backend.owner().enter()) {
            entry.owner.exit();
            return false;
        }
        if (!kit.owner().enter()) {
            backend.owner().exit();
            entry.owner.exit();
            return false;
        }
        return true;
    }

    void exit() {
        if (kit != null) {
            kit.owner().exit();
        }
        backend.owner().exit();
        entry.owner.exit();
    }

    /** As people read it: {@code vector on cpu:0}. */
    @Override
    public String toString() {
        return entry.name() + " on " + device();
    }
}
