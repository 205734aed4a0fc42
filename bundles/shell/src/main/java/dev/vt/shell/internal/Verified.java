package dev.vt.shell.internal;

import dev.vt.conformance.OpResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All that was verified; the first keys sum up, results has the providers one by one.
 *
 * @param failures the first of the calls of each kernel that went wrong
 * @param worst the largest error of the right calls by dtype, over the sum of the sizes of the terms
 */
record Verified(
        String device,
        String provider,
        int ops,
        int cases,
        int failed,
        List<OpResult.Failure> failures,
        Map<String, Long> declines,
        Map<String, Double> worst,
        double seconds,
        List<Provider> results)
        implements View {
    /**
     * What came out for one provider on one device.
     *
     * @param skipped ops that were left out, each with the reason
     */
    record Provider(String device, String provider, List<OpResult> ops, List<String> skipped) {}

    static Verified of(List<Provider> results) {
        Set<String> devices = new TreeSet<>();
        Set<String> providers = new TreeSet<>();
        Map<String, Long> declines = new TreeMap<>();
        Map<String, Double> worst = new TreeMap<>();
        List<OpResult.Failure> failures = new ArrayList<>();
        int ops = 0;
        int cases = 0;
        int failed = 0;
        double seconds = 0;
        for (Provider p : results) {
            devices.add(p.device());
            providers.add(p.provider());
            ops += p.ops().size();
            for (OpResult r : p.ops()) {
                cases += r.cases();
                failed += r.failed();
                seconds += r.seconds();
                failures.addAll(r.failures());
                r.declines().forEach((reason, n) -> declines.merge(r.op() + ": " + reason, n, Long::sum));
                r.worst().forEach((dtype, error) -> worst.merge(dtype, error, Math::max));
            }
        }
        return new Verified(
                String.join(",", devices),
                String.join(",", providers),
                ops,
                cases,
                failed,
                failures,
                declines,
                worst,
                seconds,
                results);
    }

    @Override
    public void show(Page page) {
        List<List<Object>> rows = new ArrayList<>();
        for (Provider p : results) {
            for (OpResult r : p.ops()) {
                rows.add(List.of(
                        p.device(),
                        p.provider(),
                        r.op(),
                        r.cases(),
                        r.cases() - r.served(),
                        r.failed(),
                        r.seconds(),
                        r.worst()));
            }
        }
        page.table(
                List.of("device", "provider", "op", "cases", "declined", "failed", "seconds", "worst error by dtype"),
                rows);
        failures.forEach(f -> page.line("failed: " + f));
        declines.forEach((reason, n) -> page.line("declined: " + reason + " (" + n + ")"));
        results.forEach(p -> p.skipped().forEach(s -> page.line("left out: " + p.provider() + " " + s)));
        page.line(ops + " kernels, " + cases + " cases, " + failed + " failed; worst error by dtype: "
                + Page.text(worst) + "; " + Page.text(seconds) + " s");
    }
}
