package dev.vt.pax.jupiter.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.pax.jupiter.PaxExamTest;
import java.util.List;
import javax.inject.Inject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;

/** All that should pass. Run by the bridge's own test. */
@PaxExamTest
public class PassingExample extends BaseExample {
    @Inject
    private BundleContext context;

    @Configuration
    static Option[] framework() {
        return Frameworks.bare();
    }

    @BeforeEach
    void before() {
        ran.add("own");
    }

    @Test
    void insideTheFramework() {
        assertNotNull(FrameworkUtil.getBundle(PassingExample.class));
        assertSame(FrameworkUtil.getBundle(PassingExample.class), context.getBundle());
        assertEquals("org.apache.felix.framework", context.getBundle(0).getSymbolicName());
        assertSame(PassingExample.class.getClassLoader(), Thread.currentThread().getContextClassLoader());
    }

    @Test
    void everyTestHasAnInstanceOfItsOwn() {
        assertEquals(List.of("base", "own"), ran);
        ran.add("test");
    }

    @RepeatedTest(2)
    void repeated() {
        assertEquals(List.of("base", "own"), ran);
        ran.add("test");
    }

    @ParameterizedTest
    @CsvSource({"1, one", "2, two"})
    void parameterized(int number, String name) {
        assertEquals(number == 1 ? "one" : "two", name);
    }

    @Test
    void assertionsWorkInside() {
        assertThrows(IllegalStateException.class, () -> {
            throw new IllegalStateException();
        });
    }
}
