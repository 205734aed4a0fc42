package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Permutations and waiting")
class WaysTest {
    @Test
    @DisplayName("All 120 orders of five, each once, equal items too")
    void permutations() {
        List<List<Integer>> all = Permutations.of(List.of(1, 2, 3, 4, 5)).toList();
        assertEquals(120, all.size());
        assertEquals(120, new HashSet<>(all).size());
        assertEquals(List.of(1, 2, 3, 4, 5), all.getFirst());
        assertEquals(2, Permutations.of(List.of("a", "a")).count());
        assertEquals(List.of(List.of()), Permutations.of(List.of()).toList());
    }

    @Test
    @DisplayName("Eventually gives what it saw, or says what it saw last")
    void eventually() {
        AtomicInteger n = new AtomicInteger();
        assertEquals(3, Eventually.within(Duration.ofSeconds(20)).see("counter", n::incrementAndGet, v -> v == 3));
        AssertionError e = assertThrows(
                AssertionError.class,
                () -> Eventually.within(Duration.ofMillis(20)).see("answer", () -> 41, v -> v == 42));
        assertTrue(e.getMessage().contains("answer: not within 20 ms; last seen: 41"), e.getMessage());
        assertThrows(
                AssertionError.class,
                () -> Eventually.within(Duration.ofMillis(20)).holds("failing", () -> {
                    throw new IllegalStateException("look");
                }));
    }
}
