package dev.vt.api.op;

import dev.vt.api.VtException;
import java.util.Objects;

/**
 * A named operation with a fixed contract, and the Java interface of its kernels. A kernel interface has one abstract method
 * that takes the queue first and returns an {@link Outcome}. The id is a dense index for tables: 0 to 511 belong to the
 * catalogue of this project, 512 to 1023 are free for others; two ops of one id in a process are refused.
 *
 * @param <K> the kernel interface
 */
public final class Op<K> implements Comparable<Op<?>> {
    /** One more than the highest id. */
    public static final int LIMIT = 1024;

    private final int id;
    private final String name;
    private final Class<K> kernelType;

    private Op(int id, String name, Class<K> kernelType) {
        this.id = id;
        this.name = name;
        this.kernelType = kernelType;
    }

    /**
     * Makes an op.
     *
     * @param id dense number, 0 to 1023
     * @param name lower snake case, the op's identity
     * @param kernelType the functional interface of its kernels
     */
    public static <K> Op<K> of(int id, String name, Class<K> kernelType) {
        if (id < 0 || id >= LIMIT) {
            throw VtException.invalidArgument(
                    "op " + name + ": expected an id from 0 to " + (LIMIT - 1) + ", given " + id);
        }
        if (!name.matches("[a-z][a-z0-9_]{0,62}")) {
            throw VtException.invalidArgument("op: expected a name in lower snake case, given '" + name + "'");
        }
        return new Op<>(id, name, Objects.requireNonNull(kernelType, "kernelType"));
    }

    public int id() {
        return id;
    }

    public String name() {
        return name;
    }

    public Class<K> kernelType() {
        return kernelType;
    }

    @Override
    public int compareTo(Op<?> other) {
        return name.compareTo(other.name);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Op<?> other && id == other.id && name.equals(other.name) && kernelType == other.kernelType;
    }

    @Override
    public int hashCode() {
        return id;
    }

    @Override
    public String toString() {
        return name;
    }
}
