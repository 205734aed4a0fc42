package dev.vt.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All orders of a list, for tests of what must not depend on order. Pure functions, any thread. */
public final class Permutations {
    private Permutations() {}

    /** Every order, each once, in an order that is always the same; n factorial of them. One of an empty list. */
    public static <T> Stream<List<T>> of(List<T> items) {
        if (items.isEmpty()) {
            return Stream.of(List.of());
        }
        return java.util.stream.IntStream.range(0, items.size())
                .boxed()
                .flatMap(i -> of(without(items, i)).map(rest -> {
                    List<T> order = new ArrayList<>(items.size());
                    order.add(items.get(i));
                    order.addAll(rest);
                    return List.copyOf(order);
                }));
    }

    private static <T> List<T> without(List<T> items, int index) {
        List<T> rest = new ArrayList<>(items);
        rest.remove(index);
        return rest;
    }
}
