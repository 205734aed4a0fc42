package dev.vt.backend.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Backend;
import dev.vt.api.device.Memory;
import dev.vt.api.device.Queue;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test on one device of the fake driver, which must have seen nothing wrong at the end. */
abstract class OnFakeDevice {
    @TempDir
    Path cache;

    FakeDriver driver;
    Backend cuda;
    StreamQueue queue;

    @BeforeEach
    void open() {
        driver = new FakeDriver(kernels());
        cuda = driver.device();
        queue = (StreamQueue) cuda.createQueue();
    }

    @AfterEach
    void close() throws Exception {
        driver.close();
        driver.assertNoBreach();
        for (FakeDriver.Kind kind : FakeDriver.Kind.values()) {
            assertEquals(0, driver.live(kind), kind.toString());
        }
        assertEquals(0, driver.used());
        assertEquals(0, driver.pinnedUsed());
    }

    /** Where compiled kernels are kept. */
    Path kernels() {
        return cache;
    }

    /** A block with these floats. */
    Memory floats(float... values) {
        Memory block = cuda.allocate(4L * values.length);
        cuda.upload(queue, block, 0, MemorySegment.ofArray(values));
        return block;
    }

    /** The floats of a block, after what the queue has accepted. */
    float[] read(Queue on, Memory block) {
        float[] values = new float[(int) (block.size() / 4)];
        cuda.download(on, MemorySegment.ofArray(values), block, 0);
        return values;
    }

    byte[] bytes(Memory block) {
        byte[] values = new byte[(int) block.size()];
        cuda.download(queue, MemorySegment.ofArray(values), block, 0);
        return values;
    }

    static void refused(ErrorCode code, Runnable call, String... parts) {
        VtException e = assertThrows(VtException.class, call::run);
        assertEquals(code, e.code(), e.getMessage());
        for (String part : parts) {
            assertTrue(e.getMessage().contains(part), e.getMessage());
        }
    }

    static MemorySegment ints(int... values) {
        return MemorySegment.ofArray(values);
    }
}
