package dev.vt.conformance.mutation;

import dev.vt.api.op.Op;
import dev.vt.api.spi.KernelSet;
import dev.vt.conformance.spec.Level;

/**
 * A kernel with one planted fault.
 *
 * @param fault what is wrong with it
 * @param op its op
 * @param kernels the kernel alone
 * @param level the lowest level that must find it
 * @param says a part of what the kit must say
 */
record Mutant(String fault, Op<?> op, KernelSet kernels, Level level, String says) {
    static <K> Mutant quick(String fault, Op<K> op, K kernel, String says) {
        return new Mutant(fault, op, alone(op, kernel), Level.QUICK, says);
    }

    static <K> Mutant full(String fault, Op<K> op, K kernel, String says) {
        return new Mutant(fault, op, alone(op, kernel), Level.FULL, says);
    }

    static <K> KernelSet alone(Op<K> op, K kernel) {
        return KernelSet.builder().put(op, kernel).build();
    }

    @Override
    public String toString() {
        return fault + ", " + op;
    }
}
