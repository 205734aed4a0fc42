package dev.vt.registry.internal;

import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.XPU;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Device;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeProvider;
import dev.vt.registry.internal.Doubles.FakeQueue;
import java.text.MessageFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What an operator reads in the log. */
class LogTest {
    /** Held here, since the logging system itself holds loggers weakly. */
    private final Logger logger = Logger.getLogger("dev.vt.registry");

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
                lines.add(MessageFormat.format(line.getMessage(), line.getParameters()));
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
    }

    @Test
    @DisplayName(
            "S23 the reference tier announces itself once for each op and device, and says that it measures nothing")
    void announcesItself() {
        Registry r = Doubles.registry();
        FakeProvider host = new FakeProvider("vt-native", 0);
        host.ops = List.of(OpTable.RELU, OpTable.CAST_F32);
        r.add(new FakeBackend(CPU), origin("cpu"));
        r.add(host, origin("native"));
        for (int index = 0; index < 2; index++) {
            FakeBackend unified = new FakeBackend(Device.of(XPU, index));
            r.add(unified, origin("unified"));
            FakeQueue queue = new FakeQueue(unified.device());
            Tensor t = unified.floats(2);
            for (int i = 0; i < 3; i++) {
                r.ops().call(OpTable.RELU, queue, k -> k.run(queue, t, t));
            }
        }
        assertEquals(
                List.of(
                        "op relu on xpu:0 runs on the CPU's kernel (reference tier): this run is no performance"
                                + " measurement",
                        "op relu on xpu:1 runs on the CPU's kernel (reference tier): this run is no performance"
                                + " measurement"),
                lines);
    }

    @Test
    @DisplayName("S20 a name given at start that no provider has is a warning that lists the present ones")
    void unknownName() {
        Registry r = Doubles.cpuRegistry();
        r.add(new FakeProvider("vector", 10), origin("vector"));
        r.add(new FakeProvider("vt-native", 0), origin("native"));
        r.warnOfUnknown(Set.of("vector", "vectr", "vt-cpu-ref"));
        assertEquals(
                List.of("VT_OP_PROVIDER_DISABLE names 'vectr', and no provider has this name; present are vector,"
                        + " vt-native"),
                lines);
    }
}
