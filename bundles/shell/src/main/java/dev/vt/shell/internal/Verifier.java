package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Selection;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;

/**
 * Runs the kernels of one provider on one device on small random cases, and compares what they write with what the
 * CPU's own kernels write. The CPU's own kernels are run a second time with the same data, so for them it says only
 * that they repeat. Made for one run, used by one thread.
 */
final class Verifier {
    private static final Device CPU = Device.of(DeviceType.CPU);

    private final OpRegistry registry;
    private final Backend reference;
    private final Backend backend;
    private final String provider;
    private final KernelCases source;
    private final List<Failure> failures = new ArrayList<>();
    private final Map<String, Long> declines = new TreeMap<>();
    private final Map<String, Double> worst = new TreeMap<>();
    private final List<String> skipped = new ArrayList<>();
    private int cases;

    /** A case that went wrong. */
    record Failure(String op, String sizes, String dtype, String error) {}

    /**
     * What came out for one provider on one device.
     *
     * @param skipped ops that were left out, each with the reason
     * @param worst the largest error by dtype
     */
    record Result(
            String device,
            String provider,
            int cases,
            List<Failure> failures,
            Map<String, Long> declines,
            Map<String, Double> worst,
            double seconds,
            List<String> skipped,
            String reference) {}

    Verifier(OpRegistry registry, BackendRegistry backends, Device device, String provider, KernelCases source) {
        this.registry = registry;
        this.reference = backends.get(CPU);
        this.backend = backends.get(device);
        this.provider = provider;
        this.source = source;
    }

    Result run(List<Op<?>> ops) {
        long start = System.nanoTime();
        ops.forEach(this::verify);
        return new Result(
                backend.device().toString(),
                provider,
                cases,
                List.copyOf(failures),
                declines,
                worst,
                (System.nanoTime() - start) / 1e9,
                List.copyOf(skipped),
                OpProvider.NATIVE + " on " + CPU);
    }

    private void verify(Op<?> op) {
        Selection chain = registry.explain(op, backend.device());
        if (chain.chain().stream().noneMatch(l -> l.name().equals(provider))) {
            return;
        }
        List<KernelCase> all = source.of(op);
        if (all.isEmpty()) {
            skipped.add(op + ": not of the catalogue");
            return;
        }
        try (OneKernel expected = kernel(op, CPU, OpProvider.NATIVE);
                OneKernel kernel = kernel(op, backend.device(), provider)) {
            all.forEach(c -> verify(c, expected, kernel));
        } catch (NotEligibleException e) {
            skipped.add(op + ": " + e.getMessage());
        }
    }

    /** Says why a kernel can't be run. */
    private static final class NotEligibleException extends Exception {
        private static final long serialVersionUID = 1L;

        NotEligibleException(String message) {
            super(message);
        }
    }

    private OneKernel kernel(Op<?> op, Device device, String name) throws NotEligibleException {
        return OneKernel.find(registry, op, device, name)
                .orElseThrow(() -> new NotEligibleException(name + " on " + device + " is "
                        + registry.explain(op, device).chain().stream()
                                .filter(l -> l.name().equals(name))
                                .findFirst()
                                .map(l -> l.state().label() + ": " + l.reason())
                                .orElse("missing")));
    }

    private void verify(KernelCase c, OneKernel expected, OneKernel kernel) {
        if (Thread.interrupted()) {
            throw new CancellationException("vt:verify: stopped");
        }
        cases++;
        try (CaseOnDevice host = new CaseOnDevice(c, reference);
                CaseOnDevice device = new CaseOnDevice(c, backend)) {
            host.call(expected);
            if (!expected.outcome().served()) {
                skipped.add(c + ": " + OpProvider.NATIVE + " declined: "
                        + expected.outcome().reason());
                return;
            }
            host.synchronize();
            device.call(kernel);
            device.synchronize();
            List<byte[]> written = device.bytes();
            if (!kernel.outcome().served()) {
                declined(c, kernel.outcome().reason(), written);
                return;
            }
            compare(c, written, host.bytes());
        } catch (RuntimeException e) {
            if (e instanceof CancellationException) {
                throw e;
            }
            failed(c, e instanceof VtException ? String.valueOf(e.getMessage()) : e.toString());
        }
    }

    private void declined(KernelCase c, String reason, List<byte[]> present) {
        declines.merge(c.op() + ": " + reason, 1L, Long::sum);
        for (int i = 0; i < present.size(); i++) {
            if (!Arrays.equals(present.get(i), c.operands().get(i).data())) {
                failed(c, "declined after it had written operand " + i);
            }
        }
    }

    private void compare(KernelCase c, List<byte[]> given, List<byte[]> expected) {
        for (int i = 0; i < given.size(); i++) {
            Operand o = c.operands().get(i);
            if (!o.output()) {
                if (!Arrays.equals(given.get(i), o.data())) {
                    failed(c, "operand " + i + " is an input and was written");
                }
                continue;
            }
            DType dtype = o.dtype();
            double error = Difference.of(dtype, given.get(i), expected.get(i));
            double bound = Difference.bound(c.dtype(), dtype);
            worst.merge(c.dtype().label(), error, Math::max);
            if (error > bound) {
                failed(
                        c,
                        "operand " + i + " (" + dtype + "): error " + Page.text(error) + ", at most " + bound
                                + " expected");
            }
        }
    }

    private void failed(KernelCase c, String error) {
        failures.add(new Failure(c.op().name(), c.label(), c.dtype().label(), error));
    }
}
