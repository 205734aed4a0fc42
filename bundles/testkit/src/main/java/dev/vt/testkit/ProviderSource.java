package dev.vt.testkit;

import dev.vt.api.op.Op;
import dev.vt.api.tensor.Tensor;
import dev.vt.testkit.ProviderBundle.Place;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Writes the Java source of a provider from its description. No state of its own; used by one builder. */
final class ProviderSource {
    private static final String TEMPLATE = """
        package %PACKAGE%;

        import dev.vt.api.device.DeviceType;
        import dev.vt.api.device.ProviderCaps;
        import dev.vt.api.device.Queue;
        import dev.vt.api.op.*;
        import dev.vt.api.spi.*;
        import dev.vt.api.tensor.*;
        import dev.vt.backend.cpu.CpuQueue;
        import dev.vt.ops.OpTable;
        import dev.vt.ops.kernel.*;
        import java.lang.foreign.ValueLayout;
        import java.util.Map;
        import java.util.concurrent.ConcurrentHashMap;
        import java.util.concurrent.CountDownLatch;
        import java.util.concurrent.atomic.AtomicLong;

        public final class %CLASS% implements OpProvider {
            static {
                count("loaded");
                %STATIC%
            }

        %DECLINES%
            private OpRegistry registry;

            public %CLASS%() {
                count("made");
                %CONSTRUCTOR%
            }

            public void bindRegistry(OpRegistry registry) {
                this.registry = registry;
            }

            public void deactivate() {
                count("deactivated");
            }

            @Override
            public String name() {
                %NAME_THROWS%
                return %NAME%;
            }

            @Override
            public int priority() {
                %PRIORITY_THROWS%
                return %PRIORITY%;
            }

            @Override
            public DeviceType deviceType() {
                %DEVICE_THROWS%
                return new DeviceType(%DEVICE%, %DEVICE_NUMBER%);
            }

            @Override
            public boolean supports(ProviderCaps caps) {
                count("supports");
                %SUPPORTS_THROWS%
                return %SUPPORTS%;
            }

            @Override
            public String requirement() {
                return %REQUIREMENT%;
            }

            @Override
            public KernelSet kernels() {
                %KERNELS_THROWS%
                KernelSet.Builder kernels = KernelSet.builder();
        %KERNELS%
                return kernels.build();
            }

            private static Outcome fill(Queue queue, Tensor out, float value, boolean half) {
                long n = half ? out.elements() / 2 : out.elements();
                ((CpuQueue) queue).submit(workers -> {
                    for (long i = 0; i < n; i++) {
                        store(out, i, value);
                    }
                });
                return Outcome.SERVED;
            }

            private static void store(Tensor out, long i, float value) {
                if (out.dtype() == DType.F32) {
                    out.segment().set(ValueLayout.JAVA_FLOAT_UNALIGNED, out.offset() + 4 * i, value);
                } else if (out.dtype() == DType.BF16) {
                    short bits = (short) (Float.floatToRawIntBits(value) >>> 16);
                    out.segment().set(ValueLayout.JAVA_SHORT_UNALIGNED, out.offset() + 2 * i, bits);
                } else {
                    throw new IllegalStateException("a constant kernel writes f32 and bf16, not " + out.dtype());
                }
            }

            private static Outcome fail(Queue queue, String message) {
                ((CpuQueue) queue).submit(workers -> {
                    throw new IllegalStateException(message);
                });
                return Outcome.SERVED;
            }

            private static void call(String op) {
                count("calls");
                count("calls " + op);
            }

            private static void block() {
                Map<String, Object> probe = probe();
                if (probe == null) {
                    return;
                }
                ((CountDownLatch) probe.get("entered")).countDown();
                try {
                    ((CountDownLatch) probe.get("gate")).await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            private static void count(String name) {
                Map<String, Object> probe = probe();
                if (probe != null) {
                    ((AtomicLong) probe.computeIfAbsent(name, key -> new AtomicLong())).incrementAndGet();
                }
            }

            @SuppressWarnings("unchecked")
            private static Map<String, Object> probe() {
                return (Map<String, Object>) System.getProperties().get(%PROBE%);
            }

            @SuppressWarnings("unchecked")
            private static <T extends Throwable> void sneak(Throwable t) throws T {
                throw (T) t;
            }
        }
        """;

    private final ProviderBundle.Builder p;

    ProviderSource(ProviderBundle.Builder p) {
        this.p = p;
    }

    String text() {
        return TEMPLATE.replace("%PACKAGE%", p.packageName())
                .replace("%CLASS%", ProviderBundle.CLASS)
                .replace("%STATIC%", thrown(Place.STATIC_INITIALISER))
                .replace("%CONSTRUCTOR%", thrown(Place.CONSTRUCTOR))
                .replace("%NAME_THROWS%", thrown(Place.NAME))
                .replace("%PRIORITY_THROWS%", thrown(Place.PRIORITY))
                .replace("%DEVICE_THROWS%", thrown(Place.DEVICE_TYPE))
                .replace("%SUPPORTS_THROWS%", thrown(Place.SUPPORTS))
                .replace("%KERNELS_THROWS%", thrown(Place.KERNELS))
                .replace("%DECLINES%", declines())
                .replace("%KERNELS%", kernels())
                .replace("%NAME%", literal(p.name))
                .replace("%PRIORITY%", Integer.toString(p.priority instanceof Integer i ? i : 0))
                .replace("%DEVICE%", literal(p.device.name()))
                .replace("%DEVICE_NUMBER%", String.valueOf(p.device.number()))
                .replace("%SUPPORTS%", p.supports)
                .replace("%REQUIREMENT%", literal(p.requirement))
                .replace("%PROBE%", literal(p.probe == null ? "" : p.probe.key()));
    }

    private String thrown(Place place) {
        KernelBehaviour.Throws t = p.faults.get(place);
        return t == null ? "" : sneak(t);
    }

    /** The test hides from the compiler that what follows is never reached. */
    private static String sneak(KernelBehaviour.Throws t) {
        return "if (CountDownLatch.class != null) { " + ProviderBundle.CLASS + ".<RuntimeException>sneak(new "
                + t.type().getCanonicalName() + "(" + literal(t.message()) + ")); }";
    }

    private String declines() {
        StringBuilder s = new StringBuilder();
        p.kernels.forEach((op, behaviour) -> {
            if (behaviour instanceof KernelBehaviour.Declines(String reason)) {
                s.append("    private static final Outcome ")
                        .append(declineOf(op))
                        .append(" = Outcome.declined(")
                        .append(literal(reason))
                        .append(");\n");
            }
        });
        return s.toString();
    }

    private static String declineOf(Op<?> op) {
        return constantOf(op) + "_DECLINE";
    }

    private String kernels() {
        return p.kernels.entrySet().stream()
                .map(e -> kernel(e.getKey(), e.getValue()))
                .collect(Collectors.joining());
    }

    private static String kernel(Op<?> op, KernelBehaviour behaviour) {
        Method run = method(op);
        String parameters = IntStream.range(0, run.getParameterCount())
                .mapToObj(i -> "p" + i)
                .collect(Collectors.joining(", "));
        return "        kernels.put(OpTable." + constantOf(op) + ", (" + parameters + ") -> {\n            call("
                + literal(op.name()) + ");\n            " + body(op, run, parameters, behaviour) + "\n        });\n";
    }

    private static String body(Op<?> op, Method run, String parameters, KernelBehaviour behaviour) {
        String out = "p" + Arrays.asList(run.getParameterTypes()).indexOf(Tensor.class);
        return switch (behaviour) {
            case KernelBehaviour.Constant(float value) -> fill(out, value, false);
            case KernelBehaviour.Declines ignored -> "return " + declineOf(op) + ";";
            case KernelBehaviour.Throws t -> sneak(t) + " return null;";
            case KernelBehaviour.FailsLater(String message) -> "return fail(p0, " + literal(message) + ");";
            case KernelBehaviour.Blocks(float value) -> "block(); " + fill(out, value, false);
            case KernelBehaviour.WritesHalfThenThrows(float value) ->
                fill(out, value, true).replace("return ", "")
                        + " p0.synchronize(); throw new IllegalStateException(\"half of the output is written\");";
            case KernelBehaviour.Forwards ignored ->
                "try (OpLease<" + op.kernelType().getCanonicalName()
                        + "> below = registry.fallback(OpTable." + constantOf(op)
                        + ", p0.device(), name())) { return below.kernel()."
                        + run.getName() + "(" + parameters + "); }";
        };
    }

    private static String fill(String out, float value, boolean half) {
        return "return fill(p0, " + out + ", Float.intBitsToFloat(" + Float.floatToRawIntBits(value) + "), " + half
                + ");";
    }

    private static Method method(Op<?> op) {
        return Arrays.stream(op.kernelType().getMethods())
                .filter(m -> Modifier.isAbstract(m.getModifiers()))
                .findFirst()
                .orElseThrow();
    }

    private static String constantOf(Op<?> op) {
        return op.name().toUpperCase(Locale.ROOT);
    }

    /** A Java string literal, or null. */
    static String literal(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder s = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            s.append(ESCAPES.getOrDefault(
                    c, c < 0x20 || c > 0x7e ? String.format("\\u%04x", (int) c) : String.valueOf(c)));
        }
        return s.append('"').toString();
    }

    private static final Map<Character, String> ESCAPES =
            Map.of('"', "\\\"", '\\', "\\\\", '\n', "\\n", '\r', "\\r", '\t', "\\t");
}
