package dev.vt.model.gguf;

import java.lang.reflect.Method;

/** Counts what a thread allocates. By reflection, since the module under test doesn't read the management modules. */
final class Allocation {
    private final Object bean;
    private final Method allocated;

    Allocation() throws ReflectiveOperationException {
        bean = Class.forName("java.lang.management.ManagementFactory")
                .getMethod("getThreadMXBean")
                .invoke(null);
        allocated = Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes");
    }

    /** Bytes that this thread has allocated so far. */
    long bytes() throws ReflectiveOperationException {
        return (long) allocated.invoke(bean);
    }
}
