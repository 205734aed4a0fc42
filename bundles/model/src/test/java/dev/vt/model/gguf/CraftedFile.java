package dev.vt.model.gguf;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Bytes of a GGUF file as an attacker would write them: nothing is checked. */
final class CraftedFile {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** The header of a file that says how many tensors and keys it has. */
    static CraftedFile of(long tensors, long keys) {
        return new CraftedFile()
                .bytes("GGUF".getBytes(StandardCharsets.US_ASCII))
                .u32(3)
                .u64(tensors)
                .u64(keys);
    }

    /** One f32 tensor of these dimensions, fastest first, without data. */
    static CraftedFile ofDimensions(long... dimensions) {
        return of(1, 0).tensor("big", 0, 0, dimensions);
    }

    CraftedFile bytes(byte... bytes) {
        out.writeBytes(bytes);
        return this;
    }

    CraftedFile u8(int value) {
        out.write(value);
        return this;
    }

    CraftedFile u32(long value) {
        return bytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) value)
                .array());
    }

    CraftedFile u64(long value) {
        return bytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array());
    }

    CraftedFile string(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        return u64(utf8.length).bytes(utf8);
    }

    /** A key and its value's type; the value comes next. */
    CraftedFile key(String name, GgufValueType type) {
        return string(name).u32(type.id());
    }

    CraftedFile tensor(String name, long type, long offset, long... dimensions) {
        string(name).u32(dimensions.length);
        for (long d : dimensions) {
            u64(d);
        }
        return u32(type).u64(offset);
    }

    CraftedFile align(int alignment) {
        while (out.size() % alignment != 0) {
            out.write(0);
        }
        return this;
    }

    CraftedFile data(int size) {
        return bytes(new byte[size]);
    }

    Path write(Path directory) throws IOException {
        return Files.write(Files.createTempFile(directory, "crafted", ".gguf"), out.toByteArray());
    }
}
