package dev.vt.itests.bench;

import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Queue;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.ops.OpTable;
import dev.vt.ops.Ops;
import dev.vt.ops.kernel.Matmul;
import dev.vt.ops.kernel.RmsNorm;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.VtRuntime;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of an op's entry point over the direct call of its kernel. The kernel does nothing, and is kept out of line in all
 * variants alike, so that the differences are what validation, pin, table and decline cost. Several ops are called before, as in any
 * program.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 60, time = 20, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 100, time = 10, timeUnit = TimeUnit.MILLISECONDS)
@Fork(3)
public class DispatchBench {
    /** One registry for all threads. */
    @State(Scope.Benchmark)
    public static class Shared {
        @Param({"false", "true"})
        boolean decliner;

        CpuBackend cpu;
        VtRuntime runtime;
        Matmul matmulKernel = new ServingMatmul();
        RmsNorm rmsNormKernel = new ServingRmsNorm();

        @Setup(Level.Trial)
        public void open() {
            cpu = new CpuBackend();
            runtime = VtRuntime.empty();
            runtime.add(cpu);
            runtime.add(new Provider("serving", 100, matmulKernel, rmsNormKernel));
            if (decliner) {
                Outcome no = Outcome.declined("K is not a multiple of 16");
                runtime.add(new Provider("declining", 200, new DecliningMatmul(no), new DecliningRmsNorm(no)));
            }
        }

        @TearDown(Level.Trial)
        public void close() {
            runtime.close();
            cpu.close();
        }
    }

    /** What each thread has of its own. */
    @State(Scope.Thread)
    public static class Mine {
        Queue queue;
        Ops lone;
        Ops inStep;
        ExecutionContext context;
        Tensor out;
        Tensor a;
        Tensor b;
        Tensor weight;
        Matmul matmulKernel;
        RmsNorm rmsNormKernel;

        @Setup(Level.Trial)
        public void open(Shared shared) {
            queue = shared.cpu.createQueue();
            lone = new Ops(shared.runtime.ops());
            context = shared.runtime.ops().newContext();
            inStep = new Ops(context);
            out = tensor(shared, 16, 64);
            a = tensor(shared, 16, 64);
            b = tensor(shared, 64, 64);
            weight = tensor(shared, 64);
            matmulKernel = shared.matmulKernel;
            rmsNormKernel = shared.rmsNormKernel;
            severalOps();
            context.begin();
        }

        private static Tensor tensor(Shared shared, long... shape) {
            return Tensor.of(shared.cpu.allocate(Tensor.bytes(DType.F32, shape)), DType.F32, shape);
        }

        private void severalOps() {
            Tensor wide = Tensor.of(out.memory(), DType.F32, 8, 128);
            Tensor half = Tensor.of(a.memory(), DType.F32, 8, 64);
            for (int i = 0; i < 20_000; i++) {
                if (i % 2 == 0) {
                    context.begin();
                }
                Ops ops = context.active() ? inStep : lone;
                ops.matmul(queue, out, a, b);
                ops.matmulBt(queue, out, a, b);
                ops.rmsNorm(queue, out, a, weight, null, 1e-6f, false);
                ops.siluAndMul(queue, half, wide);
                ops.geluAndMul(queue, half, wide);
                if (context.active()) {
                    context.end();
                }
            }
        }

        @TearDown(Level.Trial)
        public void close() {
            context.close();
            queue.close();
        }
    }

    /** The floor of a lone call: a word of memory that is taken and given back. */
    @State(Scope.Thread)
    public static class Word {
        private static final VarHandle VALUE;

        volatile long value;

        static {
            try {
                VALUE = MethodHandles.lookup().findVarHandle(Word.class, "value", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    @Benchmark
    public boolean pinFloor(Word word) {
        boolean taken = Word.VALUE.compareAndSet(word, 0L, 7L);
        Word.VALUE.setRelease(word, 0L);
        return taken;
    }

    @Benchmark
    public void matmulDirect(Mine m) {
        m.matmulKernel.run(m.queue, m.out, m.a, m.b);
    }

    @Benchmark
    public void matmulLone(Mine m) {
        m.lone.matmul(m.queue, m.out, m.a, m.b);
    }

    @Benchmark
    public void matmulInStep(Mine m) {
        m.inStep.matmul(m.queue, m.out, m.a, m.b);
    }

    @Benchmark
    public void rmsNormDirect(Mine m) {
        m.rmsNormKernel.run(m.queue, m.out, m.a, m.weight, null, 1e-6f, false);
    }

    @Benchmark
    public void rmsNormLone(Mine m) {
        m.lone.rmsNorm(m.queue, m.out, m.a, m.weight, null, 1e-6f, false);
    }

    @Benchmark
    public void rmsNormInStep(Mine m) {
        m.inStep.rmsNorm(m.queue, m.out, m.a, m.weight, null, 1e-6f, false);
    }

    private record Provider(String name, int priority, Matmul matmul, RmsNorm rmsNorm) implements OpProvider {
        @Override
        public DeviceType deviceType() {
            return DeviceType.CPU;
        }

        @Override
        public KernelSet kernels() {
            Unary other = (queue, out, x) -> Outcome.SERVED;
            KernelSet.Builder set = KernelSet.builder()
                    .put(OpTable.MATMUL, matmul)
                    .put(OpTable.MATMUL_BT, matmul)
                    .put(OpTable.RMS_NORM, rmsNorm);
            if (priority == 100) {
                set.put(OpTable.SILU_AND_MUL, other).put(OpTable.GELU_AND_MUL, other);
            }
            return set.build();
        }
    }

    private static final class ServingMatmul implements Matmul {
        @Override
        @CompilerControl(CompilerControl.Mode.DONT_INLINE)
        public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
            return Outcome.SERVED;
        }
    }

    private static final class ServingRmsNorm implements RmsNorm {
        @Override
        @CompilerControl(CompilerControl.Mode.DONT_INLINE)
        public Outcome run(
                Queue queue, Tensor out, Tensor x, Tensor weight, Tensor residual, float eps, boolean gemma) {
            return Outcome.SERVED;
        }
    }

    private record DecliningMatmul(Outcome answer) implements Matmul {
        @Override
        @CompilerControl(CompilerControl.Mode.DONT_INLINE)
        public Outcome run(Queue queue, Tensor out, Tensor a, Tensor b) {
            return answer;
        }
    }

    private record DecliningRmsNorm(Outcome answer) implements RmsNorm {
        @Override
        @CompilerControl(CompilerControl.Mode.DONT_INLINE)
        public Outcome run(
                Queue queue, Tensor out, Tensor x, Tensor weight, Tensor residual, float eps, boolean gemma) {
            return answer;
        }
    }
}
