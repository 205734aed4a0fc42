package dev.vt.model.gguf;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Walks the bytes of a GGUF file from front to back and checks all of them but the tensors' elements. Counts are
 * bounded before they are used, and nothing is handed out before the walk is done. Used by one thread, once.
 */
final class GgufParser {
    private static final int MAGIC = 0x4655_4747; // "GGUF", little-endian
    private static final String ALIGNMENT_KEY = "general.alignment";
    private static final int DEFAULT_ALIGNMENT = 32;

    private final MemorySegment bytes;
    private final String file;
    private final GgufCursor cursor;
    private final Map<String, GgufMetadata.Value> values = new LinkedHashMap<>();
    private final Map<String, GgufTensor> tensors = new LinkedHashMap<>();

    /** A tensor's description as it stands in the file; {@code offset} counts from the start of the data section. */
    private record Info(String name, DType dtype, long[] shape, long offset, long size) {}

    /** A file that passed. */
    record Parsed(int version, GgufMetadata metadata, Map<String, GgufTensor> tensors) {}

    GgufParser(MemorySegment bytes, String file) {
        this.bytes = bytes;
        this.file = file;
        this.cursor = new GgufCursor(bytes, file);
    }

    Parsed parse() {
        int version = version();
        cursor.subject("header");
        int tensorCount = cursor.count("tensor count", GgufLimits.LEAST_TENSOR_BYTES, GgufLimits.TENSORS);
        int keyCount = cursor.count("key count", GgufLimits.LEAST_ENTRY_BYTES, GgufLimits.KEYS);
        for (int i = 0; i < keyCount; i++) {
            entry(i);
        }
        GgufMetadata metadata = new GgufMetadata(file, bytes, values);
        long alignment = alignment(metadata);
        List<Info> infos = new ArrayList<>(tensorCount);
        Set<String> names = HashSet.newHashSet(tensorCount);
        for (int i = 0; i < tensorCount; i++) {
            Info info = tensor(i, alignment);
            if (!names.add(info.name())) {
                throw cursor.error("expected a name once, given it twice");
            }
            infos.add(info);
        }
        place(infos, alignment);
        return new Parsed(version, metadata, tensors);
    }

    private int version() {
        cursor.subject("header");
        int magic = cursor.int32();
        if (magic != MAGIC) {
            throw cursor.error("expected a GGUF file, given one that starts with "
                    + String.format("%08x", Integer.reverseBytes(magic)));
        }
        int version = cursor.int32();
        if (version != 2 && version != 3) {
            int swapped = Integer.reverseBytes(version);
            throw cursor.error("version: expected 2 or 3, given "
                    + (swapped == 2 || swapped == 3
                            ? swapped + " in big-endian order"
                            : Integer.toUnsignedString(version)));
        }
        return version;
    }

    private void entry(int index) {
        cursor.subject("key " + index);
        String key = cursor.string(GgufLimits.KEY_BYTES);
        cursor.subject("key '" + key + "'");
        if (key.isEmpty()) {
            throw cursor.error("expected a name, given an empty one");
        }
        GgufValueType type = valueType();
        GgufMetadata.Value value;
        if (type == GgufValueType.ARRAY) {
            GgufValueType element = valueType();
            int count = elementCount(element);
            value = new GgufMetadata.Value(type, element, cursor.position(), count);
            skipElements(element, count, 1);
        } else {
            value = new GgufMetadata.Value(type, null, cursor.position(), 1);
            skipValue(type, 0);
        }
        if (values.put(key, value) != null) {
            throw cursor.error("expected a key once, given it twice");
        }
    }

    private GgufValueType valueType() {
        long id = cursor.uint32();
        GgufValueType type = GgufValueType.of(id);
        if (type == null) {
            throw cursor.error("value type: expected 0 to 12, given " + id);
        }
        return type;
    }

    private int elementCount(GgufValueType element) {
        return cursor.count("array length", element.leastBytes(), GgufLimits.ARRAY_ELEMENTS);
    }

    private void skipElements(GgufValueType element, int count, int depth) {
        switch (element) {
            case STRING, BOOL, ARRAY -> {
                for (int i = 0; i < count; i++) {
                    skipValue(element, depth);
                }
            }
            default -> cursor.position(cursor.position() + (long) count * element.leastBytes());
        }
    }

    private void skipValue(GgufValueType type, int depth) {
        switch (type) {
            case STRING -> cursor.skipString(GgufLimits.ARRAY_ELEMENTS);
            case BOOL -> {
                int value = Byte.toUnsignedInt(cursor.int8());
                if (value > 1) {
                    throw cursor.error("bool: expected 0 or 1, given " + value);
                }
            }
            case ARRAY -> {
                if (depth >= GgufLimits.ARRAY_DEPTH) {
                    throw cursor.error(
                            "expected arrays nested at most " + GgufLimits.ARRAY_DEPTH + " deep, given more");
                }
                GgufValueType element = valueType();
                skipElements(element, elementCount(element), depth + 1);
            }
            case UINT8, INT8 -> cursor.int8();
            case UINT16, INT16 -> cursor.int16();
            case UINT32, INT32, FLOAT32 -> cursor.int32();
            case UINT64, INT64, FLOAT64 -> cursor.int64();
        }
    }

    private static long alignment(GgufMetadata metadata) {
        long alignment = metadata.optionalLong(ALIGNMENT_KEY).orElse(DEFAULT_ALIGNMENT);
        if (alignment < 1 || alignment > 1L << 31 || Long.bitCount(alignment) != 1) {
            throw metadata.error(ALIGNMENT_KEY, "a power of two", Long.toString(alignment));
        }
        return alignment;
    }

    private Info tensor(int index, long alignment) {
        cursor.subject("tensor " + index);
        String name = cursor.string(GgufLimits.TENSOR_NAME_BYTES);
        cursor.subject("tensor '" + name + "'");
        if (name.isEmpty()) {
            throw cursor.error("expected a name, given an empty one");
        }
        long[] shape = shape();
        long typeId = cursor.uint32();
        DType dtype = GgmlType.dtype(typeId).orElseThrow(() -> cursor.error("type " + typeId + " not supported"));
        long size = size(dtype, shape);
        long offset = cursor.int64();
        if (offset < 0 || offset % alignment != 0) {
            throw cursor.error("offset: expected a multiple of the alignment " + alignment + ", given "
                    + Long.toUnsignedString(offset));
        }
        return new Info(name, dtype, shape, offset, size);
    }

    private long[] shape() {
        long rank = cursor.uint32();
        if (rank < 1 || rank > GgufLimits.DIMENSIONS) {
            throw cursor.error("dimensions: expected 1 to " + GgufLimits.DIMENSIONS + ", given " + rank);
        }
        long[] shape = new long[(int) rank];
        for (int i = shape.length - 1; i >= 0; i--) {
            shape[i] = cursor.int64();
            if (shape[i] < 1) {
                throw cursor.error("dimension: expected 1 to 2^63-1, given " + Long.toUnsignedString(shape[i]));
            }
        }
        return shape;
    }

    /** The tensor's bytes, which must not be more than the file has. */
    private long size(DType dtype, long[] shape) {
        long row = shape[shape.length - 1];
        if (row % dtype.blockElements() != 0) {
            throw cursor.error("row: expected a multiple of " + dtype.blockElements() + " elements for " + dtype
                    + ", given " + row);
        }
        long size;
        try {
            size = dtype.rowBytes(row);
            for (int i = 0; i < shape.length - 1; i++) {
                size = Math.multiplyExact(size, shape[i]);
            }
        } catch (ArithmeticException e) {
            throw tooLarge(shape, "more bytes than fit in 63 bits");
        }
        if (size > bytes.byteSize()) {
            throw tooLarge(shape, size + " bytes");
        }
        return size;
    }

    private VtException tooLarge(long[] shape, String given) {
        return cursor.error("expected no more than the file's " + bytes.byteSize() + " bytes, given sizes "
                + Arrays.toString(shape) + ", which are " + given);
    }

    /** Finds each tensor's bytes; they must lie in the file and apart from each other. */
    private void place(List<Info> infos, long alignment) {
        if (infos.isEmpty()) {
            return;
        }
        long start = Math.ceilDiv(cursor.position(), alignment) * alignment;
        List<Info> sorted = new ArrayList<>(infos);
        sorted.sort(Comparator.comparingLong(Info::offset));
        Info before = null;
        for (Info info : sorted) {
            cursor.subject("tensor '" + info.name() + "'");
            if (info.offset() > bytes.byteSize() - start - info.size()) {
                throw cursor.error("expected its " + info.size() + " bytes at byte " + start + " + " + info.offset()
                        + " of the file, given a file of " + bytes.byteSize()
                        + " bytes; the file is damaged or cut short");
            }
            if (before != null && before.offset() + before.size() > info.offset()) {
                throw cursor.error("expected bytes of its own, given offset " + info.offset()
                        + ", which lies in tensor '" + before.name() + "'");
            }
            before = info;
        }
        for (Info info : infos) {
            MemorySegment data = bytes.asSlice(start + info.offset(), info.size());
            tensors.put(info.name(), new GgufTensor(info.name(), info.dtype(), info.shape(), data));
        }
    }
}
