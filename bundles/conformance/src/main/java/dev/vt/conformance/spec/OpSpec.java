package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How one op is tested: the sizes, dtypes, variants and patterns of its cases, and how a case is made. Immutable once built; any
 * thread.
 */
public final class OpSpec {
    /** Where data starts behind an address that is a multiple of 64: kernels may not count on more than an element's own size. */
    private static final int[] OFFSETS = {0, 4, 8, 60, 64};

    private final Op<?> op;
    private final String names;
    private final List<DType> dtypes;
    private final List<String> variants;
    private final List<long[]> quick;
    private final List<long[]> full;
    private final List<Pattern> patterns;
    private final int quickVariants;
    private final int quickPatterns;
    private final Predicate<CasePlan> absent;
    private final Consumer<Draft> maker;
    private final Consumer<Draft> measured;

    private OpSpec(Builder b, Consumer<Draft> maker) {
        op = b.op;
        names = b.names;
        dtypes = List.copyOf(b.dtypes);
        variants = List.copyOf(b.variants);
        quick = List.copyOf(b.quick);
        full = List.copyOf(b.full);
        patterns = List.copyOf(b.patterns);
        quickVariants = Math.min(b.quickVariants, variants.size());
        quickPatterns = Math.min(b.quickPatterns, patterns.size());
        absent = b.absent;
        this.maker = maker;
        measured = b.measured == null ? maker : b.measured;
    }

    /**
     * Starts the description of an op.
     *
     * @param names what its sizes are called, such as {@code MxKxN}
     */
    public static Builder of(Op<?> op, String names) {
        return new Builder(op, names);
    }

    public Op<?> op() {
        return op;
    }

    /** What the sizes are called. */
    public String sizeNames() {
        return names;
    }

    public List<DType> dtypes() {
        return dtypes;
    }

    /** The variants' names; the first is empty for the plain form. */
    public List<String> variants() {
        return variants;
    }

    /** The cases of a level, each once. */
    public List<CasePlan> plans(Level level) {
        Set<CasePlan> plans = new LinkedHashSet<>();
        sizes(plans, quick, quickVariants);
        plans.addAll(patterned(patterns.subList(0, quickPatterns), 1));
        if (level == Level.FULL) {
            sizes(plans, quick, variants.size());
            sizes(plans, full, variants.size());
            layouts(plans);
            plans.addAll(patterned(patterns, variants.size()));
        }
        plans.removeIf(absent);
        return List.copyOf(plans);
    }

    /** Every size in every dtype and variant; the place in memory changes from case to case. */
    private void sizes(Set<CasePlan> plans, List<long[]> sizes, int ofVariants) {
        int n = 0;
        for (long[] dims : sizes) {
            for (DType dtype : dtypes) {
                for (int v = 0; v < ofVariants; v++) {
                    plans.add(new CasePlan(dims, dtype, v, Pattern.NORMAL, OFFSETS[n % OFFSETS.length], n % 2 == 1));
                    n++;
                }
            }
        }
    }

    private void layouts(Set<CasePlan> plans) {
        for (DType dtype : dtypes) {
            for (int offset : OFFSETS) {
                plans.add(new CasePlan(quick.getLast(), dtype, 0, Pattern.NORMAL, offset, false));
                plans.add(new CasePlan(quick.getLast(), dtype, 0, Pattern.NORMAL, offset, true));
            }
        }
    }

    private List<CasePlan> patterned(List<Pattern> wanted, int ofVariants) {
        List<CasePlan> plans = new ArrayList<>();
        for (Pattern p : wanted) {
            for (DType dtype : dtypes) {
                for (int v = 0; v < ofVariants; v++) {
                    plans.add(new CasePlan(quick.getLast(), dtype, v, p, 0, false));
                }
            }
        }
        return plans;
    }

    /** Whether there is such a combination of sizes, dtype, variant and pattern. */
    public boolean has(CasePlan plan) {
        return !absent.test(plan);
    }

    /** Makes the data of a case. */
    public TestCase make(CasePlan plan) {
        Draft draft = new Draft(this, plan);
        maker.accept(draft);
        return draft.finish();
    }

    /**
     * A plain case of given sizes, such as {@code 1x2048x2048}, for benchmarks. Where the op has a form for them, its outputs have no
     * reference.
     */
    public TestCase sized(String shape, DType dtype) {
        if (!dtypes.contains(dtype)) {
            throw VtException.invalidArgument(op + ": expected a dtype of " + dtypes + ", given " + dtype);
        }
        long[] dims = Sizes.parse("op " + op, names, shape, Sizes.text(quick.getLast()));
        Draft draft = new Draft(this, new CasePlan(dims, dtype, 0, Pattern.NORMAL, 0, false));
        measured.accept(draft);
        return draft.finish();
    }

    /** The dtype that a case has if none is asked for. */
    public DType usualDtype() {
        return dtypes.contains(DType.Q8_0) && !dtypes.contains(DType.F32) ? DType.Q8_0 : dtypes.getFirst();
    }

    @Override
    public String toString() {
        return "cases of " + op;
    }

    /** Collects a description; one thread. */
    public static final class Builder {
        private final Op<?> op;
        private final String names;
        private List<DType> dtypes = List.of(DType.F32);
        private List<String> variants = List.of("");
        private List<long[]> quick = List.of();
        private List<long[]> full = List.of();
        private List<Pattern> patterns = List.of();
        private int quickVariants = Integer.MAX_VALUE;
        private int quickPatterns = 1;
        private Predicate<CasePlan> absent = plan -> false;
        private @Nullable Consumer<Draft> measured;

        private Builder(Op<?> op, String names) {
            this.op = op;
            this.names = names;
        }

        /** The types that cases are about. */
        public Builder dtypes(DType... types) {
            dtypes = List.of(types);
            return this;
        }

        public Builder dtypes(List<DType> types) {
            dtypes = List.copyOf(types);
            return this;
        }

        /** Names of the forms that the op has; a case gets the number of one. */
        public Builder variants(String... names) {
            variants = List.of(names);
            return this;
        }

        /** How many of the variants, from the first on, belong to the quick level; all if never said. */
        public Builder quickVariants(int count) {
            quickVariants = count;
            return this;
        }

        /** How many of the patterns, from the first on, belong to the quick level; one if never said. */
        public Builder quickPatterns(int count) {
            quickPatterns = count;
            return this;
        }

        /** Says which combinations there are not, such as sizes that are no whole blocks. */
        public Builder except(Predicate<CasePlan> combinations) {
            absent = absent.or(combinations);
            return this;
        }

        /** Sizes of the quick level; the last are used for offsets, strides and patterns too, and must have something to compute. */
        public Builder quick(String... sizes) {
            quick = parsed(sizes);
            return this;
        }

        /** Further sizes of the full level: 0, 1, around tiles, primes, large. */
        public Builder full(String... sizes) {
            full = parsed(sizes);
            return this;
        }

        public Builder full(List<String> sizes) {
            return full(sizes.toArray(String[]::new));
        }

        /** Patterns for the data; the first is part of the quick level, in the plain form. */
        public Builder patterns(Pattern... wanted) {
            patterns = List.of(wanted);
            return this;
        }

        /** Says how a case for benchmarks is made, where that is another one than the plain form: even, large, quick to make. */
        public Builder measures(Consumer<Draft> maker) {
            measured = maker;
            return this;
        }

        /** Says how a case is made, and ends the description. */
        public OpSpec makes(Consumer<Draft> maker) {
            if (quick.isEmpty()) {
                throw VtException.invalidArgument(
                        "op " + op + ": expected at least one size of the quick level, given none");
            }
            return new OpSpec(this, maker);
        }

        private List<long[]> parsed(String[] sizes) {
            return Arrays.stream(sizes)
                    .map(s -> Sizes.parse("op " + op, names, s, names))
                    .toList();
        }
    }
}
