package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Outcome;
import dev.vt.api.spi.KernelSet;
import dev.vt.api.spi.OpProvider;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.ops.OpTable;
import dev.vt.registry.VtRuntime;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Providers that come, go and decline while text is generated. */
class ProviderSwapTest {
    private static final GenerateOptions OPTIONS = new GenerateOptions(60, 0.8, 0, 0.95, 0, 1, 0, 0, 3, true);

    @TempDir
    private Path directory;

    @Test
    @DisplayName("S16 a provider that comes, is switched off and on, is replaced and leaves between tokens: "
            + "same text, every call accounted for")
    void swap() {
        Path model = TinyModel.of("qwen3").build().write(directory);
        try (TestRuntime runtime = new TestRuntime();
                TextGenerator generator = runtime.open(model)) {
            List<Integer> undisturbed =
                    generate(generator, GenerateListener.NONE).tokens();
            GenerateResult result = generate(generator, new Swapper(runtime.runtime()));
            assertEquals(undisturbed, result.tokens());
            assertEquals(
                    List.of("guest", "vt-native"),
                    result.served().keySet().stream().sorted().toList());
            assertEquals(
                    result.calls(),
                    result.served().values().stream().mapToLong(Long::longValue).sum());
            // The guest was there for the steps after tokens 10 to 14 and 30 to 39, with 2 layers of 7 products and
            // one more each.
            assertEquals(15 * 15, result.served().get("guest"));
        }
    }

    @Test
    @DisplayName("S14 declines of a provider on top are counted and change nothing")
    void declines() {
        Path model = TinyModel.of("qwen2").build().write(directory);
        Outcome no = Outcome.declined("not today");
        try (TestRuntime runtime = new TestRuntime();
                TextGenerator generator = runtime.open(model)) {
            List<Integer> undisturbed =
                    generate(generator, GenerateListener.NONE).tokens();
            runtime.runtime()
                    .add(guest(KernelSet.builder()
                            .put(OpTable.MATMUL_BT, (queue, out, a, b) -> no)
                            .build()));
            GenerateResult result = generate(generator, GenerateListener.NONE);
            assertEquals(undisturbed, result.tokens());
            assertEquals(Map.of(OpProvider.NATIVE, result.calls()), result.served());
            assertEquals(60 * 15, result.declines());
        }
    }

    private static GenerateResult generate(TextGenerator generator, GenerateListener listener) {
        int[] prompt = DecoderLogitsTest.prompt(6, 267);
        return generator.generateTokens(List.of(prompt), OPTIONS, listener).getFirst();
    }

    private static OpProvider guest(KernelSet kernels) {
        return new OpProvider() {
            @Override
            public String name() {
                return "guest";
            }

            @Override
            public int priority() {
                return 10;
            }

            @Override
            public DeviceType deviceType() {
                return DeviceType.CPU;
            }

            @Override
            public KernelSet kernels() {
                return kernels;
            }
        };
    }

    /** Changes the set of providers after certain tokens. */
    private static final class Swapper implements GenerateListener {
        private final VtRuntime runtime;
        private final Deque<VtRuntime.Registration> guests = new ArrayDeque<>();
        private int tokens;

        Swapper(VtRuntime runtime) {
            this.runtime = runtime;
        }

        @Override
        public void token(int sequence, int id, String text) {
            switch (++tokens) {
                case 10 -> add();
                case 15 -> assertTrue(runtime.ops().disable("guest"));
                case 20 -> guests.pop().close();
                case 25 -> assertTrue(runtime.ops().enable("guest"));
                case 30 -> add();
                case 35 -> {
                    guests.pop().close();
                    add();
                }
                case 40 -> guests.pop().close();
                default -> {}
            }
        }

        private void add() {
            guests.push(runtime.add(guest(KernelSet.builder()
                    .put(OpTable.MATMUL_BT, new CpuNativeProvider().kernels().get(OpTable.MATMUL_BT))
                    .build())));
        }
    }
}
