package dev.vt.ops;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an op asks of its arguments, as data: the tests make from it the good calls and every call that is wrong in one way.
 * Arguments are in the order of the kernel's.
 */
final class Contract {
    /** The call under test, given its arguments by name. */
    interface Entry {
        void call(Ops ops, Queue queue, Args args);
    }

    /** Arguments by name. */
    static final class Args {
        private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

        @Nullable
        Tensor t(String name) {
            return (Tensor) values.get(name);
        }

        <T> @Nullable T v(String name, Class<T> type) {
            return type.cast(values.get(name));
        }

        float f(String name) {
            return ((Number) java.util.Objects.requireNonNull(values.get(name))).floatValue();
        }

        double d(String name) {
            return ((Number) java.util.Objects.requireNonNull(values.get(name))).doubleValue();
        }

        boolean b(String name) {
            return Boolean.TRUE.equals(values.get(name));
        }

        void put(String name, @Nullable Object value) {
            values.put(name, value);
        }

        List<@Nullable Object> inOrder() {
            return new ArrayList<>(values.values());
        }
    }

    /**
     * A tensor argument.
     *
     * @param name its name in messages
     * @param dims sizes; those of {@code free} may be anything
     * @param free dimensions that no other argument is tied to
     * @param dtypes what is accepted, the first is used
     * @param skip dtypes that lead to another op
     * @param padded whether rows may be padded
     * @param strided whether the strides of all but the last dimension are free
     * @param nullable whether it may be absent
     */
    record Arg(
            String name,
            long[] dims,
            Set<Integer> free,
            List<DType> dtypes,
            Set<DType> skip,
            boolean padded,
            boolean strided,
            boolean nullable) {
        Set<DType> refused() {
            Set<DType> refused = EnumSet.allOf(DType.class);
            dtypes.forEach(refused::remove);
            refused.removeAll(skip);
            return refused;
        }
    }

    final Op<?> op;
    final Entry entry;
    final List<Arg> tensors = new ArrayList<>();
    final Map<String, Object> numbers = new LinkedHashMap<>();
    final List<String> order = new ArrayList<>();
    final Map<String, List<Object>> badNumbers = new LinkedHashMap<>();
    final List<String> written = new ArrayList<>();
    final Set<String> inPlace = new java.util.HashSet<>();

    Contract(Op<?> op, Entry entry) {
        this.op = op;
        this.entry = entry;
    }

    /** Adds a tensor; a size that begins with {@code *} is free. */
    Contract tensor(String name, String dims, List<DType> dtypes, String... traits) {
        String[] sizes = dims.split(" ");
        long[] values = new long[sizes.length];
        Set<Integer> free = new java.util.HashSet<>();
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i].startsWith("*")) {
                free.add(i);
            }
            values[i] = Long.parseLong(sizes[i].replace("*", ""));
        }
        List<String> has = Arrays.asList(traits);
        Set<DType> skip = EnumSet.noneOf(DType.class);
        if (has.contains("encoded elsewhere")) {
            Arrays.stream(DType.values()).filter(DType::isBlock).forEach(skip::add);
        }
        tensors.add(new Arg(
                name,
                values,
                free,
                dtypes,
                skip,
                has.contains("padded"),
                has.contains("strided"),
                has.contains("nullable")));
        order.add(name);
        if (has.contains("written")) {
            written.add(name);
        }
        return this;
    }

    /** Adds what is not a tensor, with values that must be refused. */
    Contract number(String name, Object good, @Nullable Object... bad) {
        numbers.put(name, good);
        order.add(name);
        badNumbers.put(name, Arrays.asList(bad));
        return this;
    }

    /** Leaves out a tensor that may be absent, for what the contract is without it. */
    Contract absent(String name) {
        order.add(name);
        return this;
    }

    /** Says that the output may be the same view as this argument. */
    Contract inPlace(String name) {
        inPlace.add(name);
        return this;
    }

    @Override
    public String toString() {
        return op.name();
    }
}
