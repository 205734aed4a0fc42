package dev.vt.pax.jupiter;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.rmi.RemoteException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.ExamSystem;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.TestAddress;
import org.ops4j.pax.exam.TestContainer;
import org.ops4j.pax.exam.TestContainerException;
import org.ops4j.pax.exam.TestProbeBuilder;
import org.ops4j.pax.exam.spi.PaxExamRuntime;

/**
 * A container that runs, with the probe bundle in it: the folder of the test class, and {@link InContainer} as its only
 * entry. Made and stopped by {@link PaxExamExtension}, used by one thread at a time.
 */
final class RunningContainer {
    private final TestContainer container;
    private final TestAddress entry;

    private RunningContainer(TestContainer container, TestAddress entry) {
        this.container = container;
        this.entry = entry;
    }

    /** The probe's entry with the arguments of one call. */
    private record Call(TestAddress root, Object... arguments) implements TestAddress {
        @Override
        public String identifier() {
            return root.identifier();
        }

        @Override
        public String caption() {
            return root.caption();
        }
    }

    static RunningContainer start(Class<?> testClass) throws IOException, ReflectiveOperationException {
        // Pax Exam's JUnit 4 option sets it, and its probe then waits for an invoker that is not there.
        System.clearProperty("pax.exam.invoker");
        ExamSystem system = PaxExamRuntime.createTestSystem(options(testClass));
        TestContainer container = PaxExamRuntime.createContainer(system);
        container.start();
        try {
            TestProbeBuilder probe = system.createProbe();
            // The folder of the first class is taken whole, of the others only the class; they are never called by
            // these entries.
            probe.addTest(testClass);
            probe.addTest(InContainer.Failure.class);
            TestAddress entry = probe.addTest(InContainer.class, "run");
            try (InputStream in = probe.build().getStream()) {
                container.installProbe(in);
            }
            return new RunningContainer(container, entry);
        } catch (IOException | RuntimeException e) {
            container.stop();
            throw e;
        }
    }

    private static Option[] options(Class<?> testClass) throws ReflectiveOperationException {
        List<Option> options = new ArrayList<>();
        for (Method m : InContainer.methods(testClass)) {
            if (m.isAnnotationPresent(Configuration.class)) {
                if (!Modifier.isStatic(m.getModifiers()) || m.getReturnType() != Option[].class) {
                    throw new ExtensionConfigurationException("@PaxExamTest: " + testClass.getName()
                            + ": the @Configuration method " + m.getName() + "() must be static and return Option[]");
                }
                m.setAccessible(true);
                options.addAll(Arrays.asList((Option[]) m.invoke(null)));
            }
        }
        return options.toArray(Option[]::new);
    }

    /** Runs one test inside the framework and throws what it threw. */
    void run(Class<?> testClass, Method method, List<Object> arguments) throws Throwable {
        String types =
                Arrays.stream(method.getParameterTypes()).map(Class::getName).collect(Collectors.joining(","));
        try {
            container.call(new Call(entry, testClass.getName(), method.getName(), types, arguments.toArray()));
        } catch (TestContainerException e) {
            throw cause(e);
        }
    }

    /** What the test threw, out of the wrappings of Pax Exam and of the remote call. */
    private static Throwable cause(Throwable thrown) {
        Throwable t = thrown;
        while (t.getCause() != null && wraps(t)) {
            t = t.getCause();
        }
        return t;
    }

    private static boolean wraps(Throwable t) {
        return t instanceof TestContainerException
                || t instanceof InvocationTargetException
                || t instanceof RemoteException
                // By name: inside a framework of this process it is the probe's class.
                || t.getClass().getName().equals(InContainer.Failure.class.getName());
    }

    void stop() {
        container.stop();
    }
}
