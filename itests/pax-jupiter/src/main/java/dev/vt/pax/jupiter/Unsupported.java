package dev.vt.pax.jupiter;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;

/** Refuses what would otherwise run outside the framework, or not at all, without a word. Pure functions. */
final class Unsupported {
    private static final List<Class<? extends Annotation>> METHODS =
            List.of(BeforeAll.class, AfterAll.class, TestFactory.class);

    private Unsupported() {}

    static void check(Class<?> testClass) {
        if (testClass.isMemberClass() && !java.lang.reflect.Modifier.isStatic(testClass.getModifiers())) {
            throw refuse(testClass, "is a @Nested class; make it a top-level one");
        }
        for (Method m : InContainer.methods(testClass)) {
            for (Class<? extends Annotation> annotation : METHODS) {
                if (m.isAnnotationPresent(annotation)) {
                    throw refuse(
                            testClass,
                            "has the @" + annotation.getSimpleName() + " method " + m.getName()
                                    + "(), which can't run inside the framework");
                }
            }
            if ((m.isAnnotationPresent(BeforeEach.class) || m.isAnnotationPresent(AfterEach.class))
                    && m.getParameterCount() > 0) {
                throw refuse(testClass, "has the method " + m.getName() + "(), which must not have parameters here");
            }
        }
        for (Class<?> c = testClass; c != Object.class; c = c.getSuperclass()) {
            for (var field : c.getDeclaredFields()) {
                if (field.isAnnotationPresent(TempDir.class)) {
                    throw refuse(
                            testClass, "has the @TempDir field " + field.getName() + "; take a @TempDir parameter");
                }
            }
        }
    }

    private static ExtensionConfigurationException refuse(Class<?> testClass, String why) {
        return new ExtensionConfigurationException("@PaxExamTest: " + testClass.getName() + " " + why);
    }
}
