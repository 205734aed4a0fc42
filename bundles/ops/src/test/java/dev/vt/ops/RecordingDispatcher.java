package dev.vt.ops;

import dev.vt.api.device.Queue;
import dev.vt.api.op.Dispatcher;
import dev.vt.api.op.KernelCall;
import dev.vt.api.op.Op;
import dev.vt.api.op.Outcome;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs each call on a proxy kernel and keeps what the kernel was given. */
final class RecordingDispatcher implements Dispatcher {
    /** One call: the op, the queue it was dispatched on, and the kernel's arguments. */
    record Call(Op<?> op, Queue queue, List<Object> arguments) {}

    private final List<Call> calls = new ArrayList<>();

    List<Call> calls() {
        return calls;
    }

    @Override
    public <K> void call(Op<K> op, Queue queue, KernelCall<K> call) {
        Class<K> type = op.kernelType();
        K kernel = type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    calls.add(new Call(op, queue, Arrays.asList(args)));
                    return Outcome.SERVED;
                }));
        call.on(kernel);
    }
}
