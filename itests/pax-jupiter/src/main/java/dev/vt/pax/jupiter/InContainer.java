package dev.vt.pax.jupiter;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Serial;
import java.io.StringWriter;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.ops4j.pax.exam.util.Injector;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;

/**
 * The half of the bridge that runs inside the framework, as a class of the probe bundle: it makes an instance of the
 * test class, injects it, runs what comes before, the test, and what comes after. Pax Exam calls it by reflection, one
 * call at a time.
 */
public final class InContainer {
    /** Called by Pax Exam. */
    public InContainer() {
        // No state: each call has all it needs.
    }

    /**
     * Carries what a test threw through Pax Exam. Where the framework is another process, what can't be serialized
     * travels as an error with its stack trace as text.
     */
    public static final class Failure extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        Failure(Throwable thrown) {
            super(thrown);
        }

        @Serial
        private Object writeReplace() {
            Throwable thrown = Objects.requireNonNull(getCause());
            try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
                out.writeObject(thrown);
                return this;
            } catch (IOException e) {
                StringWriter text = new StringWriter();
                thrown.printStackTrace(new PrintWriter(text));
                return new Failure(new AssertionError(text.toString()));
            }
        }
    }

    /**
     * Runs one test.
     *
     * @param ignored the context of Pax Exam's own bundle, which it gives to every call
     * @param types names of the parameters' classes, separated by commas
     * @throws Failure with what the test threw
     */
    public void run(BundleContext ignored, String className, String method, String types, Object[] arguments) {
        Bundle probe = FrameworkUtil.getBundle(InContainer.class);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            Class<?> testClass = probe.loadClass(className);
            thread.setContextClassLoader(testClass.getClassLoader());
            run(testClass, instance(probe.getBundleContext(), testClass), method, types, arguments);
        } catch (Throwable t) {
            throw new Failure(t);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static Object instance(BundleContext context, Class<?> testClass) throws Throwable {
        Constructor<?> constructor = testClass.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object instance;
        try {
            instance = constructor.newInstance();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        context.getService(context.getServiceReference(Injector.class)).injectFields(instance);
        return instance;
    }

    private static void run(Class<?> testClass, Object instance, String method, String types, Object[] arguments)
            throws Throwable {
        List<Method> methods = methods(testClass);
        Method test = methods.stream()
                .filter(m -> m.getName().equals(method) && typesOf(m).equals(types))
                .findFirst()
                .orElseThrow(() -> new NoSuchMethodException(testClass.getName() + "." + method + "(" + types + ")"));
        Throwable failure = null;
        try {
            // Those of a superclass come first.
            for (Method m : annotated(methods, BeforeEach.class).reversed()) {
                invoke(m, instance);
            }
            invoke(test, instance, arguments);
        } catch (Throwable t) {
            failure = t;
        }
        for (Method m : annotated(methods, AfterEach.class)) {
            try {
                invoke(m, instance);
            } catch (Throwable t) {
                failure = with(failure, t);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static Throwable with(@Nullable Throwable first, Throwable second) {
        if (first == null) {
            return second;
        }
        first.addSuppressed(second);
        return first;
    }

    private static void invoke(Method m, Object instance, Object... arguments) throws Throwable {
        m.setAccessible(true);
        try {
            m.invoke(instance, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static String typesOf(Method m) {
        return Arrays.stream(m.getParameterTypes()).map(Class::getName).collect(Collectors.joining(","));
    }

    private static List<Method> annotated(List<Method> methods, Class<? extends Annotation> annotation) {
        return methods.stream().filter(m -> m.isAnnotationPresent(annotation)).toList();
    }

    /** The methods of a class, then those of its superclasses that it does not override. */
    static List<Method> methods(Class<?> testClass) {
        List<Method> all = new ArrayList<>();
        for (Class<?> c = testClass; c != Object.class; c = c.getSuperclass()) {
            for (Method m : c.getDeclaredMethods()) {
                boolean overridden = all.stream()
                        .anyMatch(o ->
                                o.getName().equals(m.getName()) && typesOf(o).equals(typesOf(m)));
                if (!m.isSynthetic() && !overridden) {
                    all.add(m);
                }
            }
        }
        return all;
    }
}
