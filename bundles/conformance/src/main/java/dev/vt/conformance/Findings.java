package dev.vt.conformance;

import dev.vt.api.op.Op;
import dev.vt.conformance.spec.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Adds up the cases of one run. One thread. */
final class Findings {
    /** Failures of one op that are kept: the first ones tell what is wrong. */
    private static final int KEPT = 20;

    private final Op<?> op;
    private final long start = System.nanoTime();
    private final List<OpResult.Failure> failures = new ArrayList<>();
    private final Map<String, Long> declines = new TreeMap<>();
    private final Map<String, Double> worst = new TreeMap<>();
    private int cases;
    private int served;
    private int failed;

    Findings(Op<?> op) {
        this.op = op;
    }

    void add(TestCase c, CaseRun.Result r) {
        cases++;
        if (r.declined() != null) {
            declines.merge(r.declined(), 1L, Long::sum);
        } else {
            served++;
        }
        if (r.fault() == null) {
            r.errors().forEach((dtypes, error) -> worst.merge(dtypes, error, Math::max));
        } else if (failed++ < KEPT) {
            failures.add(new OpResult.Failure(op.name(), c.label(), r.fault()));
        }
    }

    int cases() {
        return cases;
    }

    OpResult result() {
        return new OpResult(
                op.name(),
                cases,
                served,
                failed,
                List.copyOf(failures),
                declines,
                worst,
                (System.nanoTime() - start) / 1e9);
    }
}
