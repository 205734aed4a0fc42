package dev.vt.backend.cpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.device.Memory;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LongOffsetTest {
    private static final long ROWS = 262144;
    private static final long COLS = 8960;
    private static final long ROW = 239674;

    /** A file as memory. */
    private record Mapped(MemorySegment segment) implements Memory {
        @Override
        public Device device() {
            return Device.of(DeviceType.CPU);
        }

        @Override
        public long id() {
            return 2;
        }

        @Override
        public long size() {
            return segment.byteSize();
        }

        @Override
        public boolean hostAddressable() {
            return true;
        }

        @Override
        public boolean closed() {
            return false;
        }

        @Override
        public void close() {}
    }

    @Test
    @DisplayName("O4.9 gather of row 239674 of [262144, 8960] f32, 9.4 GB, from a sparse mapped file")
    void sparseFile(@TempDir Path folder) throws IOException {
        long size = Tensor.bytes(DType.F32, ROWS, COLS);
        try (Arena arena = Arena.ofShared();
                FileChannel file = FileChannel.open(
                        folder.resolve("table"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.SPARSE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MemorySegment segment = map(file, size, arena);
            Tensor table = Tensor.of(new Mapped(segment), DType.F32, ROWS, COLS);
            assertEquals(ROW * COLS * 4, Rows.of(table).at(ROW));
            segment.set(ValueLayout.JAVA_FLOAT, ROW * COLS * 4, 1.5f);
            segment.set(ValueLayout.JAVA_FLOAT, (ROW + 1) * COLS * 4 - 4, 2.5f);
            segment.set(ValueLayout.JAVA_FLOAT, size - 4, 3.5f);
            Tensor out = Data.empty(DType.F32, 0, 0, 2, COLS);
            Tensor ids = Data.of(DType.I32, new double[] {ROW, ROWS - 1}, 2);
            new EmbeddingKernel().run(new InlineQueue(InlineQueue.Cut.WHOLE), out, table, ids);
            assertEquals(1.5, Data.get(out, 0));
            assertEquals(2.5, Data.get(out, COLS - 1));
            assertEquals(0, Data.get(out, COLS));
            assertEquals(3.5, Data.get(out, 2 * COLS - 1));
        }
    }

    private static MemorySegment map(FileChannel file, long size, Arena arena) {
        try {
            return file.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
        } catch (IOException e) {
            return Assumptions.abort("no room for a sparse file of " + size + " bytes: " + e.getMessage());
        }
    }
}
