package dev.vt.testkit;

/** What a generated kernel does when it is called. Every one counts its calls first. */
public sealed interface KernelBehaviour {
    /** Queues work that fills the output, the call's first tensor, with one value; f32 and bf16. */
    record Constant(float value) implements KernelBehaviour {}

    /** Declines before it has written anything. */
    record Declines(String reason) implements KernelBehaviour {}

    /** Throws, from the call itself. */
    record Throws(Class<? extends Throwable> type, String message) implements KernelBehaviour {}

    /** Queues work that throws when it runs. */
    record FailsLater(String message) implements KernelBehaviour {}

    /** Stays inside the call until the probe is released, then fills the output like {@link Constant}. */
    record Blocks(float value) implements KernelBehaviour {}

    /** Runs the kernel strictly below its own provider, through the registry. Needs a framework, which injects the registry. */
    record Forwards() implements KernelBehaviour {}

    /** Fills half of the output, then throws: what no kernel may do. */
    record WritesHalfThenThrows(float value) implements KernelBehaviour {}

    static KernelBehaviour constant(float value) {
        return new Constant(value);
    }

    static KernelBehaviour declines(String reason) {
        return new Declines(reason);
    }

    static KernelBehaviour throwing(Class<? extends Throwable> type, String message) {
        return new Throws(type, message);
    }

    static KernelBehaviour failsLater(String message) {
        return new FailsLater(message);
    }

    static KernelBehaviour blocks(float value) {
        return new Blocks(value);
    }

    static KernelBehaviour forwards() {
        return new Forwards();
    }

    static KernelBehaviour writesHalfThenThrows(float value) {
        return new WritesHalfThenThrows(value);
    }
}
