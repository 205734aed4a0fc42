package dev.vt.testkit;

import dev.vt.api.device.Backend;
import dev.vt.api.op.Op;
import dev.vt.api.spi.KernelSet;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.Level;
import dev.vt.conformance.spec.OpSpec;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContextException;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Makes the invocations of {@link OpConformance}. JUnit makes it. */
final class OpConformanceExtension implements TestTemplateInvocationContextProvider {
    OpConformanceExtension() {}

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return context.getRequiredTestMethod().isAnnotationPresent(OpConformance.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        OpConformance wanted = context.getRequiredTestMethod().getAnnotation(OpConformance.class);
        KernelSet kernels = make(wanted.provider()).kernels();
        Backend backend = make(wanted.backend());
        List<String> names = Arrays.asList(wanted.ops());
        return kernels.asMap().keySet().stream()
                .filter(op -> names.isEmpty() || names.contains(op.name()))
                .map(op -> new OneOp(op, kernels, backend, wanted.level()));
    }

    private static <T> T make(Class<T> type) {
        try {
            Constructor<T> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new ExtensionContextException(type + " can't be made: " + e, e);
        }
    }

    /** The test of one op. */
    private static final class OneOp
            implements TestTemplateInvocationContext, BeforeTestExecutionCallback, ParameterResolver {
        private final Op<?> op;
        private final KernelSet kernels;
        private final Backend backend;
        private final Level level;
        private @Nullable OpResult result;

        OneOp(Op<?> op, KernelSet kernels, Backend backend, Level level) {
            this.op = op;
            this.kernels = kernels;
            this.backend = backend;
            this.level = level;
        }

        @Override
        public String getDisplayName(int invocationIndex) {
            return op.name();
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public void beforeTestExecution(ExtensionContext context) {
            OpResult r = result();
            if (!r.passed()) {
                throw new AssertionError(r.failed() + " of " + r.cases() + " cases failed:\n"
                        + r.failures().stream().map(Object::toString).collect(Collectors.joining("\n")));
            }
            if (r.served() == 0 && r.cases() > 0) {
                throw new AssertionError("op " + op + ": every case was declined: " + r.declines());
            }
            context.publishReportEntry(op.name(), r.toString());
        }

        private OpResult result() {
            if (result == null) {
                OpSpec spec = Conformance.spec(op)
                        .orElseThrow(() -> new AssertionError(
                                "op " + op + ": the kit has no calls of it; describe it with an OpSpec"));
                try (Subject subject = Subject.of(kernels, op).orElseThrow()) {
                    result = new Conformance(level).run(spec, subject, backend);
                }
            }
            return result;
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == OpResult.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return result();
        }
    }
}
