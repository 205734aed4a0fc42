package dev.vt.conformance;

import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Graph;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.conformance.internal.Placement;
import dev.vt.conformance.spec.Expected;
import dev.vt.conformance.spec.Level;
import dev.vt.conformance.spec.Operand;
import dev.vt.conformance.spec.TestCase;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one case on one kernel and looks at everything: the values, the bytes around them, the inputs, a second run over other old
 * contents, and a replayed graph. One thread, one use.
 */
final class CaseRun {
    private static final byte POISON = (byte) 0xff;
    private static final byte OTHER_POISON = 0x5b;

    private final TestCase testCase;
    private final Subject subject;
    private final Backend backend;
    private final Queue queue;
    private final Level level;

    /**
     * What came out.
     *
     * @param declined the kernel's reason, or null when it served
     * @param fault what is wrong, or null
     * @param errors the largest relative error by dtypes: that of the case, and that of the output where it is another
     */
    record Result(@Nullable String declined, @Nullable String fault, Map<String, Double> errors) {
        static Result wrong(String fault) {
            return new Result(null, fault, Map.of());
        }
    }

    CaseRun(TestCase testCase, Subject subject, Backend backend, Queue queue, Level level) {
        this.testCase = testCase;
        this.subject = subject;
        this.backend = backend;
        this.queue = queue;
        this.level = level;
    }

    Result run() {
        try (DeviceCase device = new DeviceCase(testCase, backend, queue)) {
            return testCase.fault() == null ? good(device) : bad(device, testCase.fault());
        } catch (VtException e) {
            return Result.wrong("threw: " + e.getMessage());
        } catch (RuntimeException e) {
            return Result.wrong("threw " + e);
        }
    }

    private Result good(DeviceCase device) {
        List<byte[]> before = device.fill(POISON);
        device.call(subject);
        device.synchronize();
        List<byte[]> first = device.images();
        String fault = strayWrites(device, before, first);
        if (!subject.outcome().served()) {
            String wrote = fault != null ? fault : writtenAtAll(before, first);
            String reason = subject.outcome().reason();
            return new Result(
                    reason,
                    wrote == null ? null : "declined (" + reason + ") after it had written: " + wrote,
                    Map.of());
        }
        if (fault == null) {
            fault = repeat(device, first);
        }
        Result compared = compare(device, before, first);
        return fault == null ? compared : Result.wrong(fault);
    }

    /** A call whose data is wrong must fail before it writes. */
    private Result bad(DeviceCase device, String words) {
        List<byte[]> before = device.fill(POISON);
        String said = null;
        try {
            device.call(subject);
            device.synchronize();
        } catch (VtException e) {
            said = String.valueOf(e.getMessage());
        }
        if (!subject.outcome().served()) {
            return new Result(subject.outcome().reason(), writtenAtAll(before, device.images()), Map.of());
        }
        if (said == null || !said.contains(words)) {
            return Result.wrong(
                    "expected an error that says '" + words + "', got " + (said == null ? "none" : "'" + said + "'"));
        }
        return new Result(null, writtenAtAll(before, device.images()), Map.of());
    }

    private @Nullable String strayWrites(DeviceCase device, List<byte[]> before, List<byte[]> after) {
        for (int i = 0; i < before.size(); i++) {
            Operand o = testCase.operands().get(i);
            String stray = device.placement(i).strayWrite(before.get(i), after.get(i));
            if (stray != null) {
                return o + ": " + stray;
            }
            if (o.expected() == null && !Arrays.equals(before.get(i), after.get(i))) {
                return o + ": is an input and was written";
            }
        }
        return null;
    }

    private @Nullable String writtenAtAll(List<byte[]> before, List<byte[]> after) {
        for (int i = 0; i < before.size(); i++) {
            if (!Arrays.equals(before.get(i), after.get(i))) {
                return testCase.operands().get(i) + " has changed";
            }
        }
        return null;
    }

    /** Once more over other old contents: the same bits, or something was not written, or it does not repeat. */
    private @Nullable String repeat(DeviceCase device, List<byte[]> first) {
        List<byte[]> before = device.fill(OTHER_POISON);
        device.call(subject);
        device.synchronize();
        String fault = again(device, before, first, "a second run");
        if (fault != null || level == Level.QUICK || !backend.supportsGraphCapture()) {
            return fault;
        }
        return replay(device, first);
    }

    /**
     * A graph is recorded while the floats are not yet what they will be: a record that holds data instead of where it lies shows. It is
     * replayed twice, since it may not use up what it needs.
     */
    private @Nullable String replay(DeviceCase device, List<byte[]> first) {
        device.scramble();
        try (Graph graph = device.capture(subject)) {
            if (!subject.outcome().served()) {
                // A kernel may decline what it can't record.
                return null;
            }
            for (byte poison : new byte[] {OTHER_POISON, POISON}) {
                List<byte[]> before = device.fill(poison);
                device.replay(graph);
                device.synchronize();
                String fault = again(device, before, first, "a replayed graph");
                if (fault != null) {
                    return fault;
                }
            }
            return null;
        }
    }

    private @Nullable String again(DeviceCase device, List<byte[]> before, List<byte[]> first, String what) {
        List<byte[]> now = device.images();
        String stray = strayWrites(device, before, now);
        return stray != null ? stray + " in " + what : difference(device, first, now, what);
    }

    private @Nullable String difference(DeviceCase device, List<byte[]> first, List<byte[]> second, String what) {
        for (int i = 0; i < first.size(); i++) {
            Operand o = testCase.operands().get(i);
            Supplier<Expected> expected = o.expected();
            if (expected == null) {
                continue;
            }
            Placement p = device.placement(i);
            byte[] a = p.take(first.get(i));
            byte[] b = p.take(second.get(i));
            int unit = o.dtype().blockBytes();
            BitSet untouched =
                    Arrays.equals(a, b) ? new BitSet() : expected.get().untouched();
            for (int at = 0; at < a.length; at += unit) {
                if (!Arrays.equals(a, at, at + unit, b, at, at + unit) && !untouched.get(at / unit)) {
                    return o + ": element " + at / unit
                            + (all(a, at, unit, POISON) && all(b, at, unit, OTHER_POISON)
                                    ? " was not written"
                                    : " is not the same after " + what);
                }
            }
        }
        return null;
    }

    private static boolean all(byte[] bytes, int at, int n, byte value) {
        for (int i = 0; i < n; i++) {
            if (bytes[at + i] != value) {
                return false;
            }
        }
        return true;
    }

    private Result compare(DeviceCase device, List<byte[]> before, List<byte[]> after) {
        Map<String, Double> worst = new TreeMap<>();
        for (int i = 0; i < after.size(); i++) {
            Operand o = testCase.operands().get(i);
            Supplier<Expected> reference = o.expected();
            if (reference == null) {
                continue;
            }
            Expected expected = reference.get();
            byte[] given = device.placement(i).take(after.get(i));
            String touched = touched(o, expected, device.placement(i).take(before.get(i)), given);
            if (touched != null) {
                return Result.wrong(touched);
            }
            Expected.Verdict v = expected.compare(o.dtype(), given, o.shape());
            if (v.fault() != null) {
                return Result.wrong(o + " at " + v.fault());
            }
            worst.merge(dtypes(o.dtype()), v.error(), Math::max);
        }
        return new Result(null, null, worst);
    }

    /** An error is that of the sums, and of the one rounding on store, which depends on what is stored. */
    private String dtypes(DType stored) {
        DType about = testCase.dtype();
        return stored.isFloat() && stored != about ? about + " to " + stored : about.label();
    }

    private static @Nullable String touched(Operand o, Expected expected, byte[] before, byte[] after) {
        int unit = o.dtype().blockBytes();
        for (int e = expected.untouched().nextSetBit(0);
                e >= 0;
                e = expected.untouched().nextSetBit(e + 1)) {
            if (!Arrays.equals(before, e * unit, e * unit + unit, after, e * unit, e * unit + unit)) {
                return o + ": element " + e + " was to be left alone and was written";
            }
        }
        return null;
    }
}
