package dev.vt.conformance.spec;

import dev.vt.api.VtException;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A case in the making: the sizes, dtype, variant and pattern it is to have, and what its maker has put in. The same case always gets
 * the same data. One thread.
 */
public final class Draft {
    private final OpSpec spec;
    private final CasePlan plan;
    private final SplittableRandom random;
    private final CaseData source;
    private final List<Operand> operands = new ArrayList<>();
    private @Nullable Call call;
    private @Nullable String fault;
    private double flops;
    private long touched = -1;

    Draft(OpSpec spec, CasePlan plan) {
        this.spec = spec;
        this.plan = plan;
        random = new SplittableRandom(plan.seed(spec));
        source = new CaseData(random, plan.pattern());
    }

    /** The op. */
    public Op<?> op() {
        return spec.op();
    }

    /** The i-th size of the case. */
    public int dim(int i) {
        return Math.toIntExact(plan.dims()[i]);
    }

    /** All sizes. */
    public long[] dims() {
        return plan.dims().clone();
    }

    public DType dtype() {
        return plan.dtype();
    }

    /** f32 for f16, which no op writes, else the case's own dtype: what most outputs are stored in. */
    public DType stored() {
        return plan.dtype() == DType.BF16 ? DType.BF16 : DType.F32;
    }

    /** Of f32 and bf16 the one that {@link #stored} is not: the dtypes of a call may differ. */
    public DType otherStored() {
        return stored() == DType.F32 ? DType.BF16 : DType.F32;
    }

    /** Number of the variant, from 0 on, in the order in which the spec names them. */
    public int variant() {
        return plan.variant();
    }

    public Pattern pattern() {
        return plan.pattern();
    }

    /** Random numbers of this case. */
    public SplittableRandom random() {
        return random;
    }

    // Operands, in the order of the call

    /** What the case is about: normal values, or random blocks, with the case's pattern in them. */
    public Operand data(String name, DType dtype, long... shape) {
        return add(new Operand(name, dtype, shape, source.patterned(dtype, shape)));
    }

    /** Normal values, or random blocks, whatever the pattern. */
    public Operand normal(String name, DType dtype, long... shape) {
        return add(new Operand(name, dtype, shape, source.normal(dtype, shape)));
    }

    /** Normal values that come again after some thousands: for benchmarks of sizes for which others would take long to make. */
    public Operand repeating(String name, DType dtype, long... shape) {
        return add(new Operand(name, dtype, shape, source.repeating(dtype, shape)));
    }

    /** Values between two bounds. */
    public Operand uniform(String name, double low, double high, DType dtype, long... shape) {
        double[] values = new double[count(shape)];
        Arrays.setAll(values, i -> random.nextDouble(low, high));
        return of(name, dtype, values, shape);
    }

    /** Values as given, rounded to the type. */
    public Operand of(String name, DType dtype, double[] values, long... shape) {
        return add(new Operand(name, dtype, shape, Floats.encode(dtype, values)));
    }

    /** Integers as given. */
    public Operand integers(String name, DType dtype, LongUnaryOperator value, long... shape) {
        return add(new Operand(name, dtype, shape, CaseData.integers(dtype, value, shape)));
    }

    /** Integers from 0 up to a bound. */
    public Operand below(String name, long bound, DType dtype, long... shape) {
        return integers(name, dtype, i -> random.nextLong(bound), shape);
    }

    /** Bytes as given: what has a format of its own. */
    public Operand bytes(String name, DType dtype, byte[] bytes, long... shape) {
        return add(new Operand(name, dtype, shape, bytes));
    }

    /** The device addresses (i64) of the rows of another operand's first dimension. */
    public Operand addresses(String name, Operand target) {
        return addresses(name, target, (row, address) -> address);
    }

    /** As {@link #addresses(String, Operand)}, with each made from its index and the right address. */
    public Operand addresses(String name, Operand target, LongBinaryOperator change) {
        long rows = target.shape()[0];
        byte[] unknown = new byte[Math.toIntExact(Tensor.bytes(DType.I64, rows))];
        return bytes(name, DType.I64, unknown, rows).pointing(new Operand.Pointers(target, change));
    }

    /** An output that is not read. */
    public Operand out(String name, DType dtype, long... shape) {
        return add(new Operand(name, dtype, shape, null));
    }

    private Operand add(Operand operand) {
        operands.add(operand);
        return operand;
    }

    /** The numbers from 0 up to n in random order. */
    public int[] shuffled(int n) {
        int[] out = new int[n];
        for (int i = 0; i < n; i++) {
            int j = random.nextInt(i + 1);
            out[i] = out[j];
            out[j] = i;
        }
        return out;
    }

    // The rest

    /** How the call is made. */
    public void call(Call entry) {
        call = entry;
    }

    /** Says that the data is wrong: the queue must fail with these words, and nothing may be written. */
    public void fails(String words) {
        fault = words;
    }

    /** Floating-point operations, for benchmarks. */
    public void flops(double operations) {
        flops = operations;
    }

    /** Bytes that have to move at least, where that is less than all operands. */
    public void touching(long bytes) {
        touched = bytes;
    }

    TestCase finish() {
        if (call == null) {
            throw VtException.invalidArgument("the case " + spec.op() + " " + plan.label(spec) + " has no call");
        }
        long all = operands.stream()
                .mapToLong(o -> Tensor.bytes(o.dtype(), o.shape()))
                .sum();
        return new TestCase(
                spec.op(),
                Sizes.text(plan.dims()),
                plan.label(spec),
                plan.dtype(),
                List.copyOf(operands),
                call,
                plan.offset(),
                plan.padded(),
                fault,
                touched < 0 ? all : touched,
                flops);
    }

    private static int count(long[] shape) {
        long n = 1;
        for (long d : shape) {
            n = Math.multiplyExact(n, d);
        }
        return Math.toIntExact(n);
    }
}
