package dev.vt.api.spi;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The kernels of a provider, at most one for each op. Immutable. */
public final class KernelSet {
    private final Map<Op<?>, Object> kernels;

    private KernelSet(Map<Op<?>, Object> kernels) {
        this.kernels = kernels;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The ops, sorted by name, with their kernels. */
    public Map<Op<?>, Object> asMap() {
        return kernels;
    }

    /** The kernel of an op, or null. */
    public <K> @Nullable K get(Op<K> op) {
        Object kernel = kernels.get(op);
        return kernel == null ? null : op.kernelType().cast(kernel);
    }

    /** Collects kernels; not thread-safe. */
    public static final class Builder {
        private final Map<Op<?>, Object> kernels = new TreeMap<>();

        private Builder() {}

        /** Adds the kernel of an op; a null kernel or a second one for the op is refused. */
        public <K> Builder put(Op<K> op, K kernel) {
            if (kernel == null) {
                throw VtException.invalidArgument("the kernel of op " + op + " is null");
            }
            if (kernels.putIfAbsent(op, op.kernelType().cast(kernel)) != null) {
                throw VtException.invalidArgument("op " + op + " has two kernels in one provider");
            }
            return this;
        }

        public KernelSet build() {
            return new KernelSet(Collections.unmodifiableMap(new TreeMap<>(kernels)));
        }
    }
}
