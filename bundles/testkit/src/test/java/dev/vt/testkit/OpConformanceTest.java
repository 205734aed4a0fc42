package dev.vt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.CpuQueue;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.spec.Level;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

class OpConformanceTest {
    private static final Outcome ONLY_F32 = Outcome.declined("only contiguous f32 is served");

    /** A relu for f32 alone that gives {@code below} for what is below zero. */
    private static KernelSet relu(float below) {
        Unary kernel = (queue, out, x) -> {
            if (x.dtype() != out.dtype() || x.dtype() != dev.vt.api.tensor.DType.F32 || x.offset() % 4 != 0) {
                return ONLY_F32;
            }
            CpuQueue cpu = (CpuQueue) queue;
            if (cpu.capturing()) {
                cpu.uses(out, x);
            }
            cpu.submit(workers -> {
                for (long i = 0; i < x.elements(); i++) {
                    float v = x.segment().get(ValueLayout.JAVA_FLOAT, x.offset() + 4 * i);
                    out.segment().set(ValueLayout.JAVA_FLOAT, out.offset() + 4 * i, v < 0 ? below : v == 0 ? 0f : v);
                }
            });
            return Outcome.SERVED;
        };
        return KernelSet.builder().put(OpTable.RELU, kernel).build();
    }

    /** What the providers here have in common. */
    private abstract static class OnCpu implements OpProvider {
        @Override
        public int priority() {
            return 1;
        }

        @Override
        public DeviceType deviceType() {
            return DeviceType.CPU;
        }
    }

    static final class Right extends OnCpu {
        @Override
        public String name() {
            return "right";
        }

        @Override
        public KernelSet kernels() {
            return relu(0f);
        }
    }

    static final class Wrong extends OnCpu {
        @Override
        public String name() {
            return "wrong";
        }

        @Override
        public KernelSet kernels() {
            return relu(1e-3f);
        }
    }

    static final class Lazy extends OnCpu {
        @Override
        public String name() {
            return "lazy";
        }

        @Override
        public KernelSet kernels() {
            return KernelSet.builder()
                    .put(OpTable.RELU, (queue, out, x) -> ONLY_F32)
                    .build();
        }
    }

    static final class RightCase {
        @OpConformance(provider = Right.class)
        void conforms(OpResult relu) {
            assertEquals("relu", relu.op());
            assertTrue(relu.declines().containsKey(ONLY_F32.reason()));
        }
    }

    static final class WrongCase {
        @OpConformance(provider = Wrong.class, level = Level.QUICK)
        void conforms() {}
    }

    static final class LazyCase {
        @OpConformance(provider = Lazy.class, level = Level.QUICK)
        void conforms() {}
    }

    private static EngineExecutionResults run(Class<?> type) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(type))
                .execute();
    }

    private static List<String> failures(Class<?> type) {
        return run(type).testEvents().failed().stream()
                .map(e -> e.getPayload(org.junit.platform.engine.TestExecutionResult.class)
                        .flatMap(org.junit.platform.engine.TestExecutionResult::getThrowable)
                        .map(Throwable::getMessage)
                        .orElse(""))
                .toList();
    }

    @Test
    @DisplayName("@OpConformance runs once for each op of a provider and hands over what it found")
    void right() {
        run(RightCase.class).testEvents().assertStatistics(s -> s.started(1).succeeded(1));
    }

    @Test
    @DisplayName("@OpConformance fails for a wrong kernel and names the call, what was expected and what came")
    void wrong() {
        String failure = failures(WrongCase.class).getFirst();
        assertTrue(failure.contains("cases failed"), failure);
        assertTrue(failure.contains("relu ") && failure.contains("expected"), failure);
    }

    @Test
    @DisplayName("@OpConformance fails for a kernel that serves nothing")
    void lazy() {
        String failure = failures(LazyCase.class).getFirst();
        assertTrue(failure.contains("every case was declined"), failure);
    }
}
