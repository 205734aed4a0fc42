package dev.vt.api.op;

/**
 * One call of an op with its arguments bound, to be tried on one kernel after the other.
 *
 * @param <K> the kernel interface
 */
@FunctionalInterface
public interface KernelCall<K> {
    Outcome on(K kernel);
}
