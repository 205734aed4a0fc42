package dev.vt.model;

import dev.vt.api.tensor.DType;
import dev.vt.model.gguf.GgufWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A GGUF file in the making whose keys and f32 tensors tests may change before it is written. */
final class ModelFile {
    private final Map<String, Object> keys = new LinkedHashMap<>();
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();

    private record Tensor(float[] data, long... shape) {
        void writeTo(OutputStream out) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * data.length).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asFloatBuffer().put(data);
            out.write(bytes.array());
        }
    }

    /** Sets a key to an Integer, Float, Boolean, String, or an array of one of the first two or the last. */
    ModelFile key(String name, Object value) {
        keys.put(name, value);
        return this;
    }

    ModelFile tensor(String name, float[] data, long... shape) {
        tensors.put(name, new Tensor(data, shape));
        return this;
    }

    ModelFile without(String tensor) {
        tensors.remove(tensor);
        return this;
    }

    /** The elements of a tensor, or null. */
    float[] tensor(String name) {
        Tensor tensor = tensors.get(name);
        return tensor == null ? null : tensor.data();
    }

    Path write(Path file) {
        GgufWriter writer = new GgufWriter();
        keys.forEach((name, value) -> put(writer, name, value));
        tensors.forEach((name, tensor) -> writer.tensor(name, DType.F32, tensor.shape(), tensor::writeTo));
        try {
            writer.write(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    private static void put(GgufWriter writer, String name, Object value) {
        switch (value) {
            case Integer i -> writer.int32(name, i);
            case Float f -> writer.float32(name, f);
            case Boolean b -> writer.bool(name, b);
            case String s -> writer.string(name, s);
            case int[] ints -> writer.int32s(name, ints);
            case float[] floats -> writer.float32s(name, floats);
            case String[] strings -> writer.strings(name, strings);
            default -> throw new IllegalArgumentException("no type of a key: " + value);
        }
    }
}
