package dev.vt.shell.internal;

import dev.vt.api.device.DeviceType;
import dev.vt.api.op.OpRegistry;
import dev.vt.api.op.Outcome;
import dev.vt.api.registry.BackendRegistry;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.VtRuntime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Commands over a runtime that has the CPU, its own kernels, and a guest with a relu kernel above them. */
final class TestShell implements AutoCloseable {
    static final Outcome DECLINE = Outcome.declined("the guest is tired");

    private final CpuBackend cpu = new CpuBackend();
    private final VtRuntime runtime = VtRuntime.empty();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** The guest's kernel: one that always declines. */
    TestShell() {
        this((queue, out, x) -> DECLINE);
    }

    TestShell(Unary relu) {
        runtime.add(cpu);
        runtime.add(new CpuNativeProvider());
        runtime.add(guest(relu));
    }

    private static OpProvider guest(Unary relu) {
        return new OpProvider() {
            @Override
            public String name() {
                return "guest";
            }

            @Override
            public int priority() {
                return 5;
            }

            @Override
            public DeviceType deviceType() {
                return DeviceType.CPU;
            }

            @Override
            public KernelSet kernels() {
                return KernelSet.builder().put(OpTable.RELU, relu).build();
            }
        };
    }

    OpRegistry registry() {
        return runtime.ops();
    }

    BackendRegistry backends() {
        return runtime.backends();
    }

    /** Runs a command; gives what the shell would print as its result. */
    String run(CommandGroup group, String... line) {
        CommandLine command = CommandLine.of(group, line);
        Object result = command.run(new Terminal(stream(out), stream(err), command.format(), false));
        return result instanceof View view ? Page.of(view).table() : String.valueOf(result);
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    /** What commands printed while they ran. */
    String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String warnings() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        runtime.close();
        cpu.close();
    }
}
