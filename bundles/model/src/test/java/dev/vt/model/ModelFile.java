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
    private static final int Q8_BLOCK = 32;

    private final Map<String, Object> keys = new LinkedHashMap<>();
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();

    private record Tensor(DType dtype, float[] data, long... shape) {
        void writeTo(OutputStream out) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(dtype.rowBytes(data.length)))
                    .order(ByteOrder.LITTLE_ENDIAN);
            if (dtype == DType.F32) {
                bytes.asFloatBuffer().put(data);
            } else {
                for (int block = 0; block < data.length; block += Q8_BLOCK) {
                    writeBlock(bytes, block);
                }
            }
            out.write(bytes.array());
        }

        /** Elements of q8_0 are whole numbers times a half of the block. */
        private void writeBlock(ByteBuffer bytes, int block) {
            float scale = scale(data, block);
            bytes.putShort(Float.floatToFloat16(scale));
            for (int i = block; i < block + Q8_BLOCK; i++) {
                bytes.put((byte) Math.round(data[i] / scale));
            }
        }

        static float scale(float[] data, int block) {
            float max = 0;
            for (int i = block; i < block + Q8_BLOCK; i++) {
                max = Math.max(max, Math.abs(data[i]));
            }
            return Float.float16ToFloat(Float.floatToFloat16(max / 127));
        }
    }

    /** Sets a key to an Integer, Float, Boolean, String, or an array of one of the first two or the last. */
    ModelFile key(String name, Object value) {
        keys.put(name, value);
        return this;
    }

    ModelFile tensor(String name, float[] data, long... shape) {
        tensors.put(name, new Tensor(DType.F32, data, shape));
        return this;
    }

    /** Makes a tensor one of q8_0; its elements are then those that the encoding holds. */
    ModelFile encode(String name) {
        Tensor plain = tensors.get(name);
        float[] held = plain.data().clone();
        for (int i = 0; i < held.length; i++) {
            float scale = Tensor.scale(plain.data(), i / Q8_BLOCK * Q8_BLOCK);
            held[i] = Math.clamp(Math.round(held[i] / scale), -127, 127) * scale;
        }
        tensors.put(name, new Tensor(DType.Q8_0, held, plain.shape()));
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
        tensors.forEach((name, tensor) -> writer.tensor(name, tensor.dtype(), tensor.shape(), tensor::writeTo));
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
