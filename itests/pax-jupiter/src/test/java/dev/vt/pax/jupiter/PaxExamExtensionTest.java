package dev.vt.pax.jupiter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.vt.pax.jupiter.examples.BeforeAllExample;
import dev.vt.pax.jupiter.examples.FailingExample;
import dev.vt.pax.jupiter.examples.PassingExample;
import dev.vt.pax.jupiter.examples.UnresolvedExample;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** Runs example classes through the platform and looks at what comes out. */
class PaxExamExtensionTest {
    private static EngineExecutionResults run(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute();
    }

    private static Throwable thrown(Event event) {
        return event.getRequiredPayload(TestExecutionResult.class)
                .getThrowable()
                .orElseThrow();
    }

    @Test
    @DisplayName("tests, parameterized and repeated tests and what surrounds them run inside the framework")
    void runsInside() {
        EngineExecutionResults results = run(PassingExample.class);
        List<String> failures = results.testEvents().failed().stream()
                .map(e -> thrown(e).toString())
                .toList();
        assertEquals(List.of(), failures);
        assertEquals(7, results.testEvents().succeeded().count());
    }

    @Test
    @DisplayName("what a test throws inside comes out as it is")
    void failuresComeOut() {
        EngineExecutionResults results = run(FailingExample.class);
        Map<String, Throwable> thrown = results.testEvents().failed().stream()
                .collect(Collectors.toMap(e -> e.getTestDescriptor().getDisplayName(), PaxExamExtensionTest::thrown));
        assertEquals(5, thrown.size(), thrown.toString());
        AssertionFailedError assertion = assertInstanceOf(AssertionFailedError.class, thrown.get("assertion"));
        assertEquals("2", assertion.getExpected().getStringRepresentation());
        assertEquals("1", assertion.getActual().getStringRepresentation());
        assertInstanceOf(IllegalStateException.class, thrown.get("exception"));
        assertEquals("said by the test", thrown.get("exception").getMessage());
        assertInstanceOf(StackOverflowError.class, thrown.get("error"));
        Throwable both = assertInstanceOf(AssertionFailedError.class, thrown.get("both"));
        assertEquals("said after the test", both.getSuppressed()[0].getMessage());
        assertEquals(
                "said by an exception that can't travel",
                thrown.get("unserializable").getMessage());
    }

    @Test
    @DisplayName("from another process what can't be serialized comes as text")
    void failuresTravel() throws IOException, ClassNotFoundException {
        RuntimeException light = new IllegalStateException("light");
        assertInstanceOf(
                IllegalStateException.class,
                sent(new InContainer.Failure(light)).getCause());
        @SuppressWarnings("serial")
        RuntimeException heavy = new RuntimeException("heavy") {
            private final Object cargo = new Object();

            @Override
            public String toString() {
                return getMessage() + cargo.getClass();
            }
        };
        Throwable arrived = assertInstanceOf(
                AssertionError.class, sent(new InContainer.Failure(heavy)).getCause());
        assertTrue(arrived.getMessage().contains("heavy"), arrived.getMessage());
    }

    private static Throwable sent(InContainer.Failure failure) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(failure);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (Throwable) in.readObject();
        }
    }

    @Test
    @DisplayName("an assumption that does not hold inside aborts the test outside")
    void assumptions() {
        EngineExecutionResults results = run(FailingExample.class);
        assertEquals(1, results.testEvents().aborted().count());
        assertInstanceOf(
                TestAbortedException.class,
                thrown(results.testEvents().aborted().list().get(0)));
    }

    @Test
    @DisplayName("O1.13 a bundle that does not resolve fails the class")
    void unresolvedBundlesFail() {
        EngineExecutionResults results = run(UnresolvedExample.class);
        Event failed = results.containerEvents().failed().list().get(0);
        String said = thrown(failed).toString();
        assertTrue(said.contains("unresolved"), said);
        assertEquals(0, results.testEvents().started().count());
    }

    @Test
    @DisplayName("what the bridge does not cover is refused with a sentence")
    void unsupported() {
        EngineExecutionResults results = run(BeforeAllExample.class);
        List<String> said = results.containerEvents().failed().stream()
                .map(e -> thrown(e).getMessage())
                .toList();
        assertEquals(1, said.size(), said.toString());
        assertTrue(said.get(0).contains("has the @BeforeAll method before()"), said.get(0));
    }
}
