package dev.vt.pax.jupiter;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Starts a container before the first test of a class and stops it after the last; in between it sends each test into
 * the framework, where an instance of its own is made and injected. The instance that Jupiter makes outside is never
 * used. Jupiter owns it; one thread at a time runs tests of one class.
 */
public final class PaxExamExtension implements BeforeAllCallback, AfterAllCallback, InvocationInterceptor {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(PaxExamExtension.class);

    /** Called by Jupiter. */
    public PaxExamExtension() {
        // Nothing to set up: the state of a class is in its context's store.
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Class<?> testClass = context.getRequiredTestClass();
        Unsupported.check(testClass);
        context.getStore(NAMESPACE).put(RunningContainer.class, RunningContainer.start(testClass));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        RunningContainer container = context.getStore(NAMESPACE).remove(RunningContainer.class, RunningContainer.class);
        if (container != null) {
            container.stop();
        }
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        runInside(invocation, call, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        runInside(invocation, call, context);
    }

    /** The half inside the framework calls it. */
    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context) {
        invocation.skip();
    }

    /** The half inside the framework calls it. */
    @Override
    public void interceptAfterEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context) {
        invocation.skip();
    }

    private static void runInside(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        invocation.skip();
        RunningContainer container = context.getStore(NAMESPACE).get(RunningContainer.class, RunningContainer.class);
        container.run(context.getRequiredTestClass(), call.getExecutable(), call.getArguments());
    }
}
