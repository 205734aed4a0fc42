package dev.vt.conformance.admission;

import dev.vt.api.device.Backend;
import dev.vt.api.op.Op;
import dev.vt.api.spi.AdmissionTest;
import dev.vt.api.spi.KernelSet;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.OpSpec;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Component;

/**
 * Tests the kernels of a provider before the registry lets it in. A kernel of an op that the kit has no description of passes
 * untested. Any thread; interrupting that ends the test.
 */
@Component(service = AdmissionTest.class)
public final class KitAdmission implements AdmissionTest {
    /** Made by Declarative Services or by the service loader. */
    public KitAdmission() {}

    @Override
    public Map<Op<?>, String> failures(Backend backend, String provider, KernelSet kernels, Level level) {
        Conformance kit = new Conformance(
                level == Level.FULL ? dev.vt.conformance.spec.Level.FULL : dev.vt.conformance.spec.Level.QUICK);
        Map<Op<?>, String> out = new TreeMap<>();
        for (OpSpec spec : Conformance.specs()) {
            String failure = failure(kit, spec, backend, kernels);
            if (failure != null) {
                out.put(spec.op(), failure);
            }
        }
        return out;
    }

    private static @Nullable String failure(Conformance kit, OpSpec spec, Backend backend, KernelSet kernels) {
        try (Subject subject = Subject.of(kernels, spec.op()).orElse(null)) {
            return subject == null ? null : sentence(kit.run(spec, subject, backend));
        } catch (LinkageError | StackOverflowError e) { // of the kernel: its neighbours may be right
            return spec.op() + ": threw " + e;
        }
    }

    /** The first call that went wrong, and how many others did; null when none did. */
    private static @Nullable String sentence(OpResult result) {
        if (result.passed()) {
            return null;
        }
        int more = result.failed() - 1;
        return result.failures().getFirst()
                + (more == 0 ? "" : " (and " + more + " more of " + result.cases() + " calls)");
    }
}
