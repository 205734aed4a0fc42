package dev.vt.model.gguf;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys and values of a GGUF file. Values were checked when the file was opened; they are decoded from the mapped
 * bytes when asked for, so a vocabulary that nobody reads costs no heap. Immutable; any thread may use it until its
 * file is closed.
 */
public final class GgufMetadata {
    /** Elements of an array that {@link #describe} shows. */
    private static final int SHOWN = 8;

    private final String file;
    private final MemorySegment bytes;
    private final Map<String, Value> values;

    /**
     * Where a value lies.
     *
     * @param element the element type of an array
     * @param offset the first byte of the value; of an array, of its first element
     * @param count 1, or the number of elements of an array
     */
    record Value(GgufValueType type, @Nullable GgufValueType element, long offset, int count) {
        @Override
        public String toString() {
            return element == null ? type.toString() : "array of " + element;
        }
    }

    GgufMetadata(String file, MemorySegment bytes, Map<String, Value> values) {
        this.file = file;
        this.bytes = bytes;
        this.values = values;
    }

    /** All keys in the file's order. */
    public Set<String> keys() {
        return Collections.unmodifiableSet(values.keySet());
    }

    public boolean has(String key) {
        return values.containsKey(key);
    }

    /** True when the key's value is an array. */
    public boolean isArray(String key) {
        return required(key, "a value").element() != null;
    }

    /** The number of elements of an array. */
    public int length(String key) {
        return array(key, "an array").count();
    }

    public String string(String key) {
        return scalar(key, "a string", GgufValueType.STRING).checkedString();
    }

    /** A value of any integer type that fits. */
    public long longValue(String key) {
        Value value = required(key, "an integer");
        if (!value.type().isInteger()) {
            throw mismatch(key, "an integer", value.toString());
        }
        return integer(key, value.type(), cursor(value));
    }

    /** An integer that fits an {@code int}. */
    public int intValue(String key) {
        return narrow(key, longValue(key));
    }

    /** A value of any float or integer type. */
    public double doubleValue(String key) {
        Value value = required(key, "a number");
        if (!value.type().isFloat() && !value.type().isInteger()) {
            throw mismatch(key, "a number", value.toString());
        }
        return number(key, value.type(), cursor(value));
    }

    public boolean booleanValue(String key) {
        return scalar(key, "a bool", GgufValueType.BOOL).int8() != 0;
    }

    public Optional<String> optionalString(String key) {
        return has(key) ? Optional.of(string(key)) : Optional.empty();
    }

    public OptionalLong optionalLong(String key) {
        return has(key) ? OptionalLong.of(longValue(key)) : OptionalLong.empty();
    }

    public OptionalDouble optionalDouble(String key) {
        return has(key) ? OptionalDouble.of(doubleValue(key)) : OptionalDouble.empty();
    }

    public Optional<Boolean> optionalBoolean(String key) {
        return has(key) ? Optional.of(booleanValue(key)) : Optional.empty();
    }

    public String[] strings(String key) {
        Value value = array(key, "an array of strings");
        if (value.element() != GgufValueType.STRING) {
            throw mismatch(key, "an array of strings", value.toString());
        }
        String[] out = new String[value.count()];
        GgufCursor at = cursor(value);
        each(value, i -> out[i] = at.checkedString());
        return out;
    }

    /** An array of any integer type whose elements fit. */
    public long[] longs(String key) {
        Value value = integers(key);
        long[] out = new long[value.count()];
        GgufCursor at = cursor(value);
        each(value, i -> out[i] = integer(key, elementType(value), at));
        return out;
    }

    /** An array of any integer type whose elements fit an {@code int}. */
    public int[] ints(String key) {
        Value value = integers(key);
        int[] out = new int[value.count()];
        GgufCursor at = cursor(value);
        each(value, i -> out[i] = narrow(key, integer(key, elementType(value), at)));
        return out;
    }

    /** An array of any float or integer type, rounded to {@code float}. */
    public float[] floats(String key) {
        Value value = numbers(key);
        float[] out = new float[value.count()];
        GgufCursor at = cursor(value);
        each(value, i -> out[i] = (float) number(key, elementType(value), at));
        return out;
    }

    /** An array of any float or integer type. */
    public double[] doubles(String key) {
        Value value = numbers(key);
        double[] out = new double[value.count()];
        GgufCursor at = cursor(value);
        each(value, i -> out[i] = number(key, elementType(value), at));
        return out;
    }

    public boolean[] booleans(String key) {
        Value value = array(key, "an array of bools");
        if (value.element() != GgufValueType.BOOL) {
            throw mismatch(key, "an array of bools", value.toString());
        }
        boolean[] out = new boolean[value.count()];
        GgufCursor at = cursor(value);
        each(value, i -> out[i] = at.int8() != 0);
        return out;
    }

    /** The value as text for people: a scalar in full, of an array the first elements and their number. */
    public String describe(String key) {
        Value value = required(key, "a value");
        GgufCursor at = cursor(value);
        return value.element() == null ? plain(value.type(), at) : list(value.element(), value.count(), at);
    }

    /** An error about this file's metadata, for readers that find a value they can't use. */
    public VtException error(String key, String expected, String given) {
        return mismatch(key, expected, given);
    }

    private static String list(GgufValueType type, int count, GgufCursor at) {
        StringJoiner out = new StringJoiner(", ", "[", (count > SHOWN ? ", ... " + count + " in all" : "") + "]");
        for (int i = 0; i < count && i < SHOWN; i++) {
            if (type == GgufValueType.ARRAY) {
                // What lies behind a nested array can't be shown without walking it; its size says enough.
                GgufValueType inner = GgufValueType.of(at.uint32());
                out.add("array of " + at.int64() + " " + inner);
                break;
            }
            out.add(plain(type, at));
        }
        return out.toString();
    }

    private static String plain(GgufValueType type, GgufCursor at) {
        return switch (type) {
            case STRING -> at.checkedString();
            case BOOL -> at.int8() != 0 ? "true" : "false";
            case FLOAT32 -> Float.toString(Float.intBitsToFloat(at.int32()));
            case FLOAT64 -> Double.toString(Double.longBitsToDouble(at.int64()));
            case UINT64 -> Long.toUnsignedString(at.int64());
            default -> Long.toString(signed(type, at));
        };
    }

    private Value integers(String key) {
        Value value = array(key, "an array of integers");
        if (!elementType(value).isInteger()) {
            throw mismatch(key, "an array of integers", value.toString());
        }
        return value;
    }

    private Value numbers(String key) {
        Value value = array(key, "an array of numbers");
        if (!elementType(value).isInteger() && !elementType(value).isFloat()) {
            throw mismatch(key, "an array of numbers", value.toString());
        }
        return value;
    }

    private static void each(Value value, IntConsumer element) {
        for (int i = 0; i < value.count(); i++) {
            element.accept(i);
        }
    }

    private static GgufValueType elementType(Value value) {
        GgufValueType element = value.element();
        return element == null ? value.type() : element;
    }

    private Value array(String key, String expected) {
        Value value = required(key, expected);
        if (value.element() == null) {
            throw mismatch(key, expected, value.toString());
        }
        return value;
    }

    private GgufCursor scalar(String key, String expected, GgufValueType type) {
        Value value = required(key, expected);
        if (value.type() != type) {
            throw mismatch(key, expected, value.toString());
        }
        return cursor(value);
    }

    private long integer(String key, GgufValueType type, GgufCursor at) {
        long value = signed(type, at);
        if (type == GgufValueType.UINT64 && value < 0) {
            throw mismatch(key, "a value up to " + Long.MAX_VALUE, Long.toUnsignedString(value));
        }
        return value;
    }

    private double number(String key, GgufValueType type, GgufCursor at) {
        return switch (type) {
            case FLOAT32 -> Float.intBitsToFloat(at.int32());
            case FLOAT64 -> Double.longBitsToDouble(at.int64());
            default -> integer(key, type, at);
        };
    }

    private static long signed(GgufValueType type, GgufCursor at) {
        return switch (type) {
            case UINT8 -> Byte.toUnsignedInt(at.int8());
            case INT8 -> at.int8();
            case UINT16 -> Short.toUnsignedInt(at.int16());
            case INT16 -> at.int16();
            case UINT32 -> at.uint32();
            case INT32 -> at.int32();
            default -> at.int64();
        };
    }

    private int narrow(String key, long value) {
        if (value != (int) value) {
            throw mismatch(key, "a value from " + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE, Long.toString(value));
        }
        return (int) value;
    }

    private GgufCursor cursor(Value value) {
        if (!bytes.scope().isAlive()) {
            throw VtException.closed(file + ": the file was closed");
        }
        GgufCursor at = new GgufCursor(bytes, file);
        at.position(value.offset());
        return at;
    }

    private Value required(String key, String expected) {
        Value value = values.get(key);
        if (value == null) {
            throw mismatch(key, expected, "no such key");
        }
        return value;
    }

    private VtException mismatch(String key, String expected, String given) {
        return new VtException(
                ErrorCode.FORMAT, file + ": key '" + key + "': expected " + expected + ", given " + given);
    }
}
