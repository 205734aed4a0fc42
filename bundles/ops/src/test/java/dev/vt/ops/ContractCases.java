package dev.vt.ops;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Queue;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.Contract.Arg;
import dev.vt.ops.Contract.Args;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Makes calls from a contract: the good ones, and one for each way in which an argument can be wrong. */
final class ContractCases {
    static final Device CPU = Device.of(DeviceType.CPU);
    static final Queue QUEUE = new IdleQueue(CPU);

    /** Enough for the views of any contract with padded rows and doubled strides. */
    private static final long BYTES = 1 << 16;

    /** One call; {@code argument} is what is wrong in it. */
    record Case(
            Contract contract,
            String argument,
            String what,
            @Nullable Queue queue,
            Args args) {
        @Override
        public String toString() {
            return contract + ", " + argument + ": " + what;
        }
    }

    private final Contract contract;
    private final List<Case> cases = new ArrayList<>();

    private ContractCases(Contract contract) {
        this.contract = contract;
    }

    static List<Case> good(Contract contract) {
        ContractCases c = new ContractCases(contract);
        c.add("all", "present", c.args());
        for (Arg arg : contract.tensors) {
            c.goodTensor(arg);
        }
        for (String name : contract.inPlace) {
            Args args = c.args();
            args.put(name, args.t("out"));
            c.add(name, "the output itself", args);
        }
        return c.cases;
    }

    private void goodTensor(Arg arg) {
        if (arg.nullable()) {
            add(arg.name(), "absent", with(arg, null));
        }
        for (DType dtype : arg.dtypes()) {
            add(arg.name(), dtype.label(), with(arg, tensor(CPU, dtype, arg.dims())));
        }
        if (arg.padded()) {
            add(arg.name(), "padded rows", with(arg, strided(arg, padding(arg.dims()))));
        }
        if (arg.strided()) {
            add(arg.name(), "padded rows", with(arg, strided(arg, padding(arg.dims()))));
            add(arg.name(), "outer dimensions in another order", with(arg, strided(arg, swapped(arg.dims()))));
        }
    }

    static List<Case> bad(Contract contract) {
        ContractCases c = new ContractCases(contract);
        c.cases.add(new Case(contract, "queue", "null", null, c.args()));
        for (Arg arg : contract.tensors) {
            c.badPresence(arg);
            c.badShape(arg);
            c.badDtype(arg);
            c.badStrides(arg);
        }
        contract.badNumbers.forEach(c::badNumbers);
        for (String written : contract.written) {
            c.badAliases(written);
        }
        return c.cases;
    }

    private void badPresence(Arg arg) {
        if (!arg.nullable()) {
            add(arg.name(), "null", with(arg, null));
        }
        DType dtype = arg.dtypes().getFirst();
        Device secondCpu = Device.of(DeviceType.CPU, 1);
        add(arg.name(), "device of another index", with(arg, tensor(secondCpu, dtype, arg.dims())));
        Device cuda = Device.of(DeviceType.CUDA);
        add(arg.name(), "device of another type", with(arg, tensor(cuda, dtype, arg.dims())));
    }

    private void badShape(Arg arg) {
        DType dtype = arg.dtypes().getFirst();
        long[] dims = arg.dims();
        if (dims.length < Tensor.MAX_RANK) {
            long[] more =
                    LongStream.concat(LongStream.of(1), Arrays.stream(dims)).toArray();
            add(arg.name(), "rank above", with(arg, tensor(CPU, dtype, more)));
        }
        add(arg.name(), "rank below", with(arg, tensor(CPU, dtype, Arrays.copyOfRange(dims, 1, dims.length))));
        for (int i = 0; i < dims.length; i++) {
            if (!arg.free().contains(i)) {
                long[] wrong = dims.clone();
                // A whole block more, where there are blocks.
                wrong[i] += i == dims.length - 1 ? dtype.blockElements() : 1;
                add(arg.name(), "size of dimension " + i, with(arg, tensor(CPU, dtype, wrong)));
            }
        }
    }

    private void badDtype(Arg arg) {
        for (DType dtype : arg.refused()) {
            if (arg.dims()[arg.dims().length - 1] % dtype.blockElements() == 0) {
                add(arg.name(), "dtype " + dtype, with(arg, tensor(CPU, dtype, arg.dims())));
            }
        }
    }

    private void badStrides(Arg arg) {
        if (arg.dtypes().getFirst().isBlock()) {
            // A block type's last dimension is contiguous by construction; its rows may still be padded.
            add(arg.name(), "padded rows", with(arg, strided(arg, padding(arg.dims()))));
            return;
        }
        if (Arrays.stream(arg.dims()).allMatch(d -> d == 1)) {
            // One element has no next one that a stride could lead to.
            return;
        }
        long[] doubled = Arrays.stream(dense(arg.dims())).map(s -> 2 * s).toArray();
        add(arg.name(), "stride of 2 in the last dimension", with(arg, strided(arg, doubled)));
        if (arg.dims().length < 2) {
            return;
        }
        if (arg.strided() && !contract.written.contains(arg.name())) {
            return;
        }
        if (arg.padded() || arg.strided()) {
            long[] crossing = dense(arg.dims());
            crossing[0] = 1;
            add(arg.name(), "rows that overlap", with(arg, strided(arg, crossing)));
        } else {
            add(arg.name(), "padded rows", with(arg, strided(arg, padding(arg.dims()))));
        }
    }

    private void badNumbers(String name, List<Object> values) {
        for (Object bad : values) {
            Args args = args();
            args.put(name, bad);
            add(name, "value " + bad, args);
        }
    }

    private void badAliases(String written) {
        for (Arg arg : contract.tensors) {
            if (arg.name().equals(written)) {
                continue;
            }
            // An op in place takes the same view, not one that is shifted by an element.
            long shift = contract.inPlace.contains(arg.name()) ? 4 : 0;
            Args args = args();
            Tensor target = java.util.Objects.requireNonNull(args.t(written));
            args.put(arg.name(), Tensor.of(target.memory(), shift, arg.dtypes().getFirst(), arg.dims()));
            add(arg.name(), "shares memory with " + written, args);
        }
    }

    private void add(String argument, String what, Args args) {
        cases.add(new Case(contract, argument, what, QUEUE, args));
    }

    private Args with(Arg arg, @Nullable Tensor tensor) {
        Args args = args();
        args.put(arg.name(), tensor);
        return args;
    }

    private Args args() {
        Args args = new Args();
        for (String name : contract.order) {
            args.put(name, contract.numbers.get(name));
        }
        for (Arg arg : contract.tensors) {
            args.put(arg.name(), tensor(CPU, arg.dtypes().getFirst(), arg.dims()));
        }
        return args;
    }

    static Tensor tensor(Device device, DType dtype, long... dims) {
        return Tensor.of(new HostMemory(device, BYTES), dtype, dims);
    }

    private static Tensor strided(Arg arg, long[] strides) {
        DType dtype = arg.dtypes().getFirst();
        try {
            return Tensor.strided(new HostMemory(CPU, BYTES), 0, dtype, arg.dims(), strides);
        } catch (VtException e) {
            throw new AssertionError("the contract of " + arg.name() + " can't be tested", e);
        }
    }

    private static long[] dense(long[] dims) {
        long[] strides = new long[dims.length];
        long step = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            strides[i] = step;
            step *= dims[i];
        }
        return strides;
    }

    private static long[] padding(long[] dims) {
        long[] strides = dense(dims);
        strides[0] += 256;
        return strides;
    }

    /** The first two dimensions in each other's place, and some elements between rows. */
    private static long[] swapped(long[] dims) {
        long[] strides = dense(dims);
        strides[1] = strides[1] + 1;
        strides[0] = strides[1];
        strides[1] = strides[0] * dims[0];
        return strides;
    }
}
