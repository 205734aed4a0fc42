package dev.vt.model.gguf;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Writes GGUF files. Keys and tensors are named first, in the order they shall have; the tensors' bytes are asked for
 * while the file is written, so that they need not fit in memory. The file is written under a temporary name beside the
 * target and renamed when it is whole: the target is never a part of a file. Owned and used by one thread.
 */
public final class GgufWriter {
    private static final int MAGIC = 0x4655_4747; // "GGUF", little-endian
    private static final int BUFFER_BYTES = 1 << 20;

    private final int version;
    private final int alignment;
    private final LittleEndian entries = new LittleEndian();
    private final Set<String> keys = new HashSet<>();
    private final Set<String> names = new HashSet<>();
    private final List<Tensor> tensors = new ArrayList<>();

    /** Gives a tensor's bytes when they are written. */
    @FunctionalInterface
    public interface TensorData {
        /** Writes exactly the bytes that the tensor's type and shape ask for. */
        void writeTo(OutputStream out) throws IOException;
    }

    private record Tensor(String name, DType dtype, long[] shape, long size, TensorData data) {}

    /** Writes version 3 with the format's own alignment of 32. */
    public GgufWriter() {
        this(3, 32);
    }

    /** An alignment other than 32 is written as {@code general.alignment}. */
    public GgufWriter(int version, int alignment) {
        if (version != 2 && version != 3) {
            throw VtException.invalidArgument("GGUF writer: version: expected 2 or 3, given " + version);
        }
        if (alignment < 1 || Integer.bitCount(alignment) != 1) {
            throw VtException.invalidArgument("GGUF writer: alignment: expected a power of two, given " + alignment);
        }
        this.version = version;
        this.alignment = alignment;
        if (alignment != 32) {
            uint32("general.alignment", alignment);
        }
    }

    public GgufWriter string(String key, String value) {
        key(key, GgufValueType.STRING);
        entries.string(value);
        return this;
    }

    public GgufWriter bool(String key, boolean value) {
        key(key, GgufValueType.BOOL);
        entries.int8(value ? 1 : 0);
        return this;
    }

    public GgufWriter uint32(String key, long value) {
        if (value >>> 32 != 0) {
            throw VtException.invalidArgument("GGUF writer: key '" + key + "': expected 0 to 2^32-1, given " + value);
        }
        key(key, GgufValueType.UINT32);
        entries.int32((int) value);
        return this;
    }

    public GgufWriter int32(String key, int value) {
        key(key, GgufValueType.INT32);
        entries.int32(value);
        return this;
    }

    public GgufWriter int64(String key, long value) {
        key(key, GgufValueType.INT64);
        entries.int64(value);
        return this;
    }

    public GgufWriter float32(String key, float value) {
        key(key, GgufValueType.FLOAT32);
        entries.int32(Float.floatToRawIntBits(value));
        return this;
    }

    public GgufWriter float64(String key, double value) {
        key(key, GgufValueType.FLOAT64);
        entries.int64(Double.doubleToRawLongBits(value));
        return this;
    }

    public GgufWriter strings(String key, String... values) {
        array(key, GgufValueType.STRING, values.length);
        for (String value : values) {
            entries.string(value);
        }
        return this;
    }

    public GgufWriter int32s(String key, int... values) {
        array(key, GgufValueType.INT32, values.length);
        for (int value : values) {
            entries.int32(value);
        }
        return this;
    }

    public GgufWriter float32s(String key, float... values) {
        array(key, GgufValueType.FLOAT32, values.length);
        for (float value : values) {
            entries.int32(Float.floatToRawIntBits(value));
        }
        return this;
    }

    /** Adds a tensor with a row-major shape of one to four dimensions. */
    public GgufWriter tensor(String name, DType dtype, long[] shape, TensorData data) {
        if (name.isEmpty() || !names.add(name)) {
            throw VtException.invalidArgument("GGUF writer: tensor: expected a new name, given '" + name + "'");
        }
        if (shape.length < 1
                || shape.length > GgufLimits.DIMENSIONS
                || Arrays.stream(shape).anyMatch(d -> d < 1)) {
            throw VtException.invalidArgument("GGUF writer: tensor '" + name + "': expected 1 to "
                    + GgufLimits.DIMENSIONS + " sizes of 1 or more, given " + Arrays.toString(shape));
        }
        long size = dev.vt.api.tensor.Tensor.bytes(dtype, shape);
        tensors.add(new Tensor(name, dtype, shape.clone(), size, data));
        return this;
    }

    /** Writes the file; an older one of the same name is replaced at the very end. */
    public void write(Path target) throws IOException {
        Path part = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            try (FileChannel channel =
                    FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
                head().writeTo(out);
                for (Tensor tensor : tensors) {
                    write(tensor, out);
                }
                out.flush();
                channel.force(true);
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private LittleEndian head() throws IOException {
        LittleEndian head = new LittleEndian();
        head.int32(MAGIC);
        head.int32(version);
        head.int64(tensors.size());
        head.int64(keys.size());
        entries.writeTo(head);
        long offset = 0;
        for (Tensor tensor : tensors) {
            head.string(tensor.name());
            head.int32(tensor.shape().length);
            for (int i = tensor.shape().length - 1; i >= 0; i--) {
                head.int64(tensor.shape()[i]);
            }
            head.int32(GgmlType.id(tensor.dtype()));
            head.int64(offset);
            offset = Math.addExact(offset, tensor.size() + padding(tensor.size()));
        }
        head.zeros(padding(head.size()));
        return head;
    }

    private void write(Tensor tensor, OutputStream out) throws IOException {
        Counted counted = new Counted(out, tensor);
        tensor.data().writeTo(counted);
        counted.requireFull();
        for (long i = padding(tensor.size()); i > 0; i--) {
            out.write(0);
        }
    }

    private long padding(long size) {
        return Math.floorMod(-size, (long) alignment);
    }

    private void key(String key, GgufValueType type) {
        if (key.isEmpty() || !keys.add(key)) {
            throw VtException.invalidArgument("GGUF writer: key: expected a new name, given '" + key + "'");
        }
        entries.string(key);
        entries.int32(type.id());
    }

    private void array(String key, GgufValueType element, int length) {
        key(key, GgufValueType.ARRAY);
        entries.int32(element.id());
        entries.int64(length);
    }

    /** Passes a tensor's bytes on, exactly as many as it has. */
    private static final class Counted extends OutputStream {
        private final OutputStream out;
        private final Tensor tensor;
        private long left;

        Counted(OutputStream out, Tensor tensor) {
            this.out = out;
            this.tensor = tensor;
            this.left = tensor.size();
        }

        @Override
        public void write(int b) throws IOException {
            take(1);
            out.write(b);
        }

        @Override
        public void write(byte[] b, int offset, int length) throws IOException {
            take(length);
            out.write(b, offset, length);
        }

        void requireFull() throws IOException {
            if (left != 0) {
                throw wrong(tensor.size() - left + " bytes");
            }
        }

        private void take(int length) throws IOException {
            if (length > left) {
                throw wrong("more");
            }
            left -= length;
        }

        private IOException wrong(String given) {
            return new IOException("GGUF writer: tensor '" + tensor.name() + "': expected " + tensor.size()
                    + " bytes of data, given " + given);
        }
    }

    /** Bytes that grow, with numbers in the file's order. */
    private static final class LittleEndian extends ByteArrayOutputStream {
        private final ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

        void int8(int value) {
            write(value);
        }

        void int32(int value) {
            write(number.clear().putInt(value).array(), 0, Integer.BYTES);
        }

        void int64(long value) {
            write(number.clear().putLong(value).array(), 0, Long.BYTES);
        }

        void string(String value) {
            byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
            int64(utf8.length);
            writeBytes(utf8);
        }

        void zeros(long length) {
            for (long i = 0; i < length; i++) {
                write(0);
            }
        }
    }
}
