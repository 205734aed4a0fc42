package dev.vt.testkit;

import dev.vt.api.device.Backend;
import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.conformance.spec.Level;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A JUnit test that runs the conformance kit on a provider: once for each op that the provider has a kernel for. It fails when a case
 * is wrong or when a kernel serves none of its cases. The method may take the {@link dev.vt.conformance.OpResult} of its op and look
 * further, at declines for example; its body may be empty.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(OpConformanceExtension.class)
public @interface OpConformance {
    /** The provider; it has a constructor without arguments, which the test may reach. */
    Class<? extends OpProvider> provider();

    /** The backend of the device to run on; it has a constructor without arguments. */
    Class<? extends Backend> backend() default CpuBackend.class;

    Level level() default Level.FULL;

    /** Names of the ops to run; none means all that the provider has. */
    String[] ops() default {};
}
