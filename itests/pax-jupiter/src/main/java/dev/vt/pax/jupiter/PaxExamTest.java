package dev.vt.pax.jupiter;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a test class whose tests run inside an OSGi framework. Static methods that carry
 * {@link org.ops4j.pax.exam.Configuration} say what is in it; there is one framework for each class.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(PaxExamExtension.class)
public @interface PaxExamTest {}
