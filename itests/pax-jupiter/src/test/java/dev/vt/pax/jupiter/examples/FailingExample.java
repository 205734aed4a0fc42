package dev.vt.pax.jupiter.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vt.pax.jupiter.PaxExamTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;

/** All that should fail. Run by the bridge's own test. */
@PaxExamTest
public class FailingExample {
    private boolean failAfter;

    @Configuration
    static Option[] framework() {
        return Frameworks.bare();
    }

    @AfterEach
    void after() {
        if (failAfter) {
            throw new IllegalStateException("said after the test");
        }
    }

    @Test
    @DisplayName("assertion")
    void assertion() {
        assertEquals(2, 1);
    }

    @Test
    @DisplayName("exception")
    void exception() {
        throw new IllegalStateException("said by the test");
    }

    @Test
    @DisplayName("error")
    void error() {
        throw new StackOverflowError();
    }

    @Test
    @DisplayName("both")
    void both() {
        failAfter = true;
        assertEquals(2, 1);
    }

    @Test
    @DisplayName("unserializable")
    void unserializable() {
        throw new Heavy();
    }

    @Test
    @DisplayName("assumption")
    void assumption() {
        assumeTrue(false, "never");
    }

    private static final class Heavy extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // That is the point.
        private final Object cargo = new Object();

        Heavy() {
            super("said by an exception that can't travel");
        }

        @Override
        public String toString() {
            return super.toString() + cargo.hashCode();
        }
    }
}
