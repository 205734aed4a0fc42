package dev.vt.pax.jupiter.examples;

import dev.vt.pax.jupiter.PaxExamTest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the bridge refuses. Run by the bridge's own test. */
@PaxExamTest
public class BeforeAllExample {
    @BeforeAll
    static void before() {
        throw new AssertionError("must not run");
    }

    @Test
    void neverRuns() {
        throw new AssertionError("must not run");
    }
}
