package dev.vt.registry.internal;

import dev.vt.api.op.KernelCall;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import dev.vt.api.tensor.Tensor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What tensors a call has. The call is run on a kernel that only looks at its arguments, so that entry points need not hand them
 * over twice. Used by traces and messages, never on the usual path.
 */
final class CallDescription {
    private final List<Tensor> tensors = new ArrayList<>();

    private CallDescription() {}

    static <K> CallDescription of(Op<K> op, KernelCall<K> call) {
        CallDescription d = new CallDescription();
        Object kernel =
                Proxy.newProxyInstance(op.kernelType().getClassLoader(), new Class<?>[] {op.kernelType()}, d::look);
        call.on(op.kernelType().cast(kernel));
        return d;
    }

    private Object look(Object self, Method method, @Nullable Object @Nullable [] arguments) {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(self);
                case "equals" -> arguments != null && self == arguments[0];
                default -> "description";
            };
        }
        if (arguments != null) {
            for (Object a : arguments) {
                if (a instanceof Tensor t) {
                    tensors.add(t);
                }
            }
        }
        return Outcome.SERVED;
    }

    /** As members of a JSON object. */
    String json() {
        List<String> shapes = new ArrayList<>();
        List<String> dtypes = new ArrayList<>();
        for (Tensor t : tensors) {
            shapes.add(java.util.Arrays.toString(t.shape()).replace(" ", ""));
            dtypes.add("\"" + t.dtype() + "\"");
        }
        return "\"shapes\":[" + String.join(",", shapes) + "],\"dtypes\":[" + String.join(",", dtypes) + "]";
    }

    /** As text: {@code f32[2,64], q8_0[64,64]}. */
    @Override
    public String toString() {
        return String.join(", ", tensors.stream().map(Tensor::toString).toList());
    }
}
