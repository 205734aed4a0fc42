package dev.vt.model.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.model.DefaultModel;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class GgufFileTest {
    private static final long HEAP_LIMIT = 16L << 20;
    /** Padding behind the last, three bytes long tensor of {@link #sample}. */
    private static final int LAST_PADDING = 29;

    @TempDir
    Path directory;

    @Test
    @DisplayName(
            "O5.1 crafted dimensions whose product wraps are refused by the tensor's name, with under 16 MiB of heap")
    void wrappingSizes(TestReporter reporter) throws Exception {
        Allocation allocation = new Allocation();
        for (long[] dimensions : List.of(
                new long[] {(1L << 42) + 1, 1152},
                new long[] {1L << 63, 2},
                new long[] {2, 1L << 63},
                new long[] {1 << 16, 1 << 16, 1 << 16, 1 << 16},
                new long[] {Long.MAX_VALUE},
                new long[] {1L << 61, 1L << 61, 4},
                new long[] {1L << 40})) {
            Path file = CraftedFile.ofDimensions(dimensions).align(32).data(64).write(directory);
            long before = allocation.bytes();
            long start = System.nanoTime();
            String message = refusal(file);
            reporter.publishEntry("microseconds", Long.toString((System.nanoTime() - start) / 1000));
            assertTrue(allocation.bytes() - before < HEAP_LIMIT);
            assertTrue(message.contains("tensor 'big'"), message);
        }
    }

    @Test
    @DisplayName("O5.2 ranks other than 1 to 4 are refused")
    void ranks() throws Exception {
        for (long rank : new long[] {0, 5, 9, 0xFFFF_FFFFL}) {
            CraftedFile file = CraftedFile.of(1, 0).string("t").u32(rank);
            for (int i = 0; i < 9; i++) {
                file.u64(1);
            }
            assertRefused(
                    file.u32(0).u64(0).align(32).data(64), "tensor 't': dimensions: expected 1 to 4, given " + rank);
        }
        for (long[] shape : List.of(new long[] {8}, new long[] {1, 2, 2, 2})) {
            Path path = CraftedFile.of(1, 0)
                    .tensor("t", 0, 0, shape)
                    .align(32)
                    .data(32)
                    .write(directory);
            try (GgufFile file = GgufFile.open(path)) {
                assertEquals(shape.length, file.tensor("t").rank());
            }
        }
    }

    @Test
    @DisplayName("O5.2 counts and lengths that the file can't hold are refused before anything is allocated")
    void counts() throws Exception {
        Allocation allocation = new Allocation();
        long huge = 1L << 63;
        Map<CraftedFile, String> files = Map.of(
                CraftedFile.of(0, huge).data(64), "key count: expected at most 65536, given 9223372036854775808",
                CraftedFile.of(huge, 0).data(64), "tensor count: expected at most 262144, given 9223372036854775808",
                CraftedFile.of(0, 60_000).data(64), "key count",
                CraftedFile.of(200_000, 0).data(64), "tensor count",
                CraftedFile.of(0, 1).u64(1L << 62).data(64), "string length",
                CraftedFile.of(0, 1).u64(-1).data(64), "string length",
                CraftedFile.of(0, 1)
                                .key("k", GgufValueType.STRING)
                                .u64(1L << 62)
                                .data(64),
                        "key 'k': string length",
                CraftedFile.of(0, 1)
                                .key("k", GgufValueType.ARRAY)
                                .u32(GgufValueType.UINT8.id())
                                .u64(huge),
                        "array length",
                CraftedFile.of(0, 1)
                                .key("k", GgufValueType.ARRAY)
                                .u32(GgufValueType.FLOAT64.id())
                                .u64(1 << 20),
                        "array length",
                CraftedFile.of(0, 1)
                                .key("k", GgufValueType.ARRAY)
                                .u32(GgufValueType.STRING.id())
                                .u64(9)
                                .data(64),
                        "array length");
        for (Map.Entry<CraftedFile, String> entry : files.entrySet()) {
            Path file = entry.getKey().write(directory);
            long before = allocation.bytes();
            String message = refusal(file);
            assertTrue(allocation.bytes() - before < HEAP_LIMIT);
            assertTrue(message.contains(entry.getValue()), message);
        }
    }

    @Test
    @DisplayName("O5.2 arrays nested 10,000 deep are refused, and four deep are read")
    void nestedArrays() throws Exception {
        assertRefused(nested(10_000), "key 'k': expected arrays nested at most 4 deep, given more");
        assertRefused(nested(5), "nested");
        try (GgufFile file = GgufFile.open(nested(4).write(directory))) {
            assertTrue(file.metadata().isArray("k"));
            assertEquals("[array of 1 array]", file.metadata().describe("k"));
        }
    }

    private static CraftedFile nested(int depth) {
        CraftedFile file = CraftedFile.of(0, 1).key("k", GgufValueType.ARRAY);
        for (int i = 1; i < depth; i++) {
            file.u32(GgufValueType.ARRAY.id()).u64(1);
        }
        return file.u32(GgufValueType.UINT8.id()).u64(1).u8(7);
    }

    @Test
    @DisplayName("O5.3 of all type ids exactly the documented ones are read, the others are not supported")
    void typeIds() throws Exception {
        Map<Integer, String> read = new TreeMap<>();
        for (int id = 0; id < 256; id++) {
            Path path = CraftedFile.of(1, 0)
                    .tensor("t", id, 0, 256)
                    .align(32)
                    .data(2048)
                    .write(directory);
            try (GgufFile file = GgufFile.open(path)) {
                GgufTensor tensor = file.tensor("t");
                read.put(id, tensor.dtype().label());
                assertEquals(tensor.dtype().rowBytes(256), tensor.data().byteSize());
                assertEquals(id, GgmlType.id(tensor.dtype()));
            } catch (VtException e) {
                assertEquals(path + ": tensor 't': type " + id + " not supported", e.getMessage());
                assertEquals(ErrorCode.FORMAT, e.code());
            }
        }
        assertEquals(documentedTypes(), read);
        assertEquals(DType.values().length, read.size());
        assertRefused(CraftedFile.of(1, 0).tensor("t", 0xFFFF_FFFFL, 0, 32).data(999), "type 4294967295 not supported");
    }

    /** The table of docs/model-files.md. */
    private static Map<Integer, String> documentedTypes() throws IOException {
        String page = Files.readString(Path.of("../../docs/model-files.md"));
        return Pattern.compile("(?m)^\\| (\\d+) \\| `(\\w+)` \\|")
                .matcher(page)
                .results()
                .collect(Collectors.toMap(
                        (MatchResult m) -> Integer.valueOf(m.group(1)), m -> m.group(2), (a, b) -> a, TreeMap::new));
    }

    @Test
    @DisplayName("O5.4 a file cut anywhere before the end of its last tensor is refused")
    void cutAtEachByte() throws Exception {
        Path whole = directory.resolve("whole.gguf");
        sample().write(whole);
        long end = Files.size(whole) - LAST_PADDING;
        byte[] bytes = Files.readAllBytes(whole);
        Path cut = directory.resolve("cut.gguf");
        for (int length = 0; length < end; length++) {
            Files.write(cut, Arrays.copyOf(bytes, length));
            refusal(cut);
        }
    }

    @Test
    @DisplayName("O5.4 padding that is missing behind the last tensor takes nothing from the model")
    void missingPadding() throws Exception {
        Path path = directory.resolve("unpadded.gguf");
        sample().write(path);
        cut(path, Files.size(path) - LAST_PADDING);
        try (GgufFile file = GgufFile.open(path)) {
            assertEquals(3, file.tensor("c").data().byteSize());
        }
    }

    @Test
    @DisplayName("O5.4 a real model cut at every 1/50 of its length and around each section's edge is refused")
    void cutModel() throws Exception {
        Path model = DefaultModel.path(directory);
        Path cut = directory.resolve("cut.gguf");
        Files.copy(model, cut, StandardCopyOption.REPLACE_EXISTING);
        long size = Files.size(model);
        Set<Long> lengths = new TreeSet<>();
        for (int i = 0; i < 50; i++) {
            lengths.add(size * i / 50);
        }
        try (GgufFile file = GgufFile.open(model)) {
            long start = size
                    - file.tensors().stream()
                            .mapToLong(t -> t.data().byteSize())
                            .sum();
            for (long edge : new long[] {4, 8, 16, 24, start, size}) {
                lengths.addAll(List.of(edge - 1, edge, edge + 1));
            }
            for (GgufTensor tensor : file.tensors()) {
                long edge = start
                        + tensor.data().address()
                        - file.tensor("token_embd.weight").data().address();
                lengths.addAll(List.of(edge - 1, edge, edge + 1));
            }
        }
        lengths.removeIf(length -> length >= size);
        for (long length : ((TreeSet<Long>) lengths).descendingSet()) {
            cut(cut, length);
            refusal(cut);
        }
    }

    @Test
    @DisplayName("O5.4 something that is no GGUF file of version 2 or 3 in little-endian order is refused")
    void otherFiles() throws Exception {
        assertRefused(new CraftedFile(), "the file is cut short");
        assertRefused(
                new CraftedFile().bytes(new byte[] {'P', 'K', 3, 4}).data(60),
                "expected a GGUF file, given one that starts with 504b0304");
        byte[] magic = {'G', 'G', 'U', 'F'};
        assertRefused(new CraftedFile().bytes(magic).u32(1).data(60), "version: expected 2 or 3, given 1");
        assertRefused(new CraftedFile().bytes(magic).u32(4).data(60), "version: expected 2 or 3, given 4");
        assertRefused(new CraftedFile().bytes(magic).u32(3L << 24).data(60), "given 3 in big-endian order");
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(VtException.class, () -> GgufFile.open(directory.resolve("absent.gguf")))
                        .code());
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                assertThrows(VtException.class, () -> GgufFile.open(directory)).code());
    }

    @Test
    @DisplayName("Tensors that overlap, are misaligned, empty, named twice or not whole blocks are refused")
    void badTensors() throws Exception {
        assertRefused(
                CraftedFile.of(2, 0)
                        .tensor("a", 0, 0, 16)
                        .tensor("b", 0, 32, 8)
                        .align(32)
                        .data(96),
                "tensor 'b': expected bytes of its own, given offset 32, which lies in tensor 'a'");
        assertRefused(
                CraftedFile.of(2, 0)
                        .tensor("b", 0, 32, 8)
                        .tensor("a", 0, 0, 16)
                        .align(32)
                        .data(96),
                "lies in tensor 'a'");
        assertRefused(
                CraftedFile.of(2, 0)
                        .tensor("a", 0, 0, 8)
                        .tensor("b", 0, 0, 8)
                        .align(32)
                        .data(96),
                "bytes of its own");
        assertRefused(
                CraftedFile.of(1, 0).tensor("a", 0, 16, 8).align(32).data(96),
                "expected a multiple of the alignment 32, given 16");
        assertRefused(CraftedFile.of(1, 0).tensor("a", 0, 1L << 63, 8).align(32).data(96), "given 9223372036854775808");
        assertRefused(
                CraftedFile.of(1, 0)
                        .tensor("a", 0, (1L << 63) - 32, 8)
                        .align(32)
                        .data(96),
                "cut short");
        assertRefused(
                CraftedFile.of(2, 0)
                        .tensor("a", 0, 0, 8)
                        .tensor("a", 0, 32, 8)
                        .align(32)
                        .data(96),
                "tensor 'a': expected a name once");
        assertRefused(CraftedFile.of(1, 0).tensor("", 0, 0, 8).align(32).data(96), "given an empty one");
        assertRefused(
                CraftedFile.of(1, 0).tensor("a", 0, 0, 8, 0).align(32).data(96),
                "dimension: expected 1 to 2^63-1, given 0");
        assertRefused(
                CraftedFile.of(1, 0).tensor("a", 8, 0, 33).align(32).data(96),
                "row: expected a multiple of 32 elements for q8_0, given 33");
    }

    @Test
    @DisplayName(
            "Keys that are named twice or empty, bools other than 0 and 1, unknown value types and broken UTF-8 are"
                    + " refused")
    void badMetadata() throws Exception {
        assertRefused(
                CraftedFile.of(0, 2)
                        .key("k", GgufValueType.UINT8)
                        .u8(1)
                        .key("k", GgufValueType.UINT8)
                        .u8(1)
                        .data(9),
                "key 'k': expected a key once");
        assertRefused(CraftedFile.of(0, 1).key("", GgufValueType.UINT8).u8(1).data(9), "given an empty one");
        assertRefused(
                CraftedFile.of(0, 1).key("k", GgufValueType.BOOL).u8(2).data(9),
                "key 'k': bool: expected 0 or 1, given 2");
        assertRefused(
                CraftedFile.of(0, 1)
                        .key("k", GgufValueType.ARRAY)
                        .u32(7)
                        .u64(2)
                        .u8(1)
                        .u8(255)
                        .data(9),
                "bool: expected 0 or 1, given 255");
        assertRefused(
                CraftedFile.of(0, 1).string("k").u32(13).data(9), "key 'k': value type: expected 0 to 12, given 13");
        for (byte[] bad : List.of(
                bytes(0x80),
                bytes(0xC0, 0x80),
                bytes(0xC1, 0xBF),
                bytes(0xE0, 0x9F, 0xBF),
                bytes(0xED, 0xA0, 0x80),
                bytes(0xF0, 0x8F, 0xBF, 0xBF),
                bytes(0xF4, 0x90, 0x80, 0x80),
                bytes(0xF5, 0x80, 0x80, 0x80),
                bytes(0xE2, 0x82),
                bytes('a', 'b', 'c', 'd', 'e', 'f', 'g', 0xFF),
                bytes(0xE2, 0x82, 'x'))) {
            assertRefused(
                    CraftedFile.of(0, 1)
                            .key("k", GgufValueType.STRING)
                            .u64(bad.length)
                            .bytes(bad)
                            .data(9),
                    "key 'k': string: expected UTF-8");
            assertRefused(CraftedFile.of(0, 1).u64(bad.length).bytes(bad).u32(0).data(9), "expected UTF-8");
        }
        String all = "aé\u07FF\u0800\uD7FF\uE000\uFFFD\uD800\uDC00\uDBFF\uDFFF";
        try (GgufFile file = GgufFile.open(
                CraftedFile.of(0, 1).key("k", GgufValueType.STRING).string(all).write(directory))) {
            assertEquals(all, file.metadata().string("k"));
        }
    }

    private static byte[] bytes(int... values) {
        byte[] out = new byte[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) values[i];
        }
        return out;
    }

    @Test
    @DisplayName("An alignment that is no power of two is refused, another one is honoured")
    void alignment() throws Exception {
        for (long bad : new long[] {0, 3, 48, 0xFFFF_FFFFL}) {
            assertRefused(
                    CraftedFile.of(1, 1)
                            .key("general.alignment", GgufValueType.UINT32)
                            .u32(bad)
                            .tensor("a", 0, 0, 8)
                            .align(32)
                            .data(96),
                    "key 'general.alignment': expected a power of two, given " + bad);
        }
        assertRefused(
                CraftedFile.of(1, 1)
                        .key("general.alignment", GgufValueType.STRING)
                        .string("32")
                        .tensor("a", 0, 0, 8)
                        .align(32)
                        .data(96),
                "key 'general.alignment': expected an integer, given string");
        Path path = directory.resolve("aligned.gguf");
        new GgufWriter(2, 256)
                .tensor("a", DType.I8, new long[] {3}, out -> out.write(new byte[] {1, 2, 3}))
                .tensor("b", DType.I8, new long[] {2}, out -> out.write(new byte[] {4, 5}))
                .write(path);
        try (GgufFile file = GgufFile.open(path)) {
            assertEquals(2, file.version());
            assertEquals(
                    256,
                    file.tensor("b").data().address() - file.tensor("a").data().address());
            assertArrayEquals(new byte[] {4, 5}, file.tensor("b").data().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    @DisplayName("Values of every type are read by getters that name key, expectation and what is there")
    void values() throws Exception {
        CraftedFile crafted = CraftedFile.of(0, 14)
                .key("u8", GgufValueType.UINT8)
                .u8(200)
                .key("i8", GgufValueType.INT8)
                .u8(200)
                .key("u16", GgufValueType.UINT16)
                .u8(0xFE)
                .u8(0xFF)
                .key("i16", GgufValueType.INT16)
                .u8(0xFE)
                .u8(0xFF)
                .key("u32", GgufValueType.UINT32)
                .u32(0xFFFF_FFFEL)
                .key("i32", GgufValueType.INT32)
                .u32(-2)
                .key("f32", GgufValueType.FLOAT32)
                .u32(Float.floatToIntBits(1.5f))
                .key("bool", GgufValueType.BOOL)
                .u8(1)
                .key("string", GgufValueType.STRING)
                .string("Grüße")
                .key("u64", GgufValueType.UINT64)
                .u64(-1)
                .key("i64", GgufValueType.INT64)
                .u64(-5)
                .key("f64", GgufValueType.FLOAT64)
                .u64(Double.doubleToLongBits(0.1))
                .key("strings", GgufValueType.ARRAY)
                .u32(GgufValueType.STRING.id())
                .u64(2)
                .string("a")
                .string("")
                .key("shorts", GgufValueType.ARRAY)
                .u32(GgufValueType.INT16.id())
                .u64(9)
                .data(16)
                .u8(0xFF)
                .u8(0xFF);
        try (GgufFile file = GgufFile.open(crafted.write(directory))) {
            GgufMetadata m = file.metadata();
            assertEquals(14, m.keys().size());
            assertEquals(200, m.longValue("u8"));
            assertEquals(-56, m.longValue("i8"));
            assertEquals(65_534, m.longValue("u16"));
            assertEquals(-2, m.longValue("i16"));
            assertEquals(4_294_967_294L, m.longValue("u32"));
            assertEquals(-2, m.intValue("i32"));
            assertEquals(1.5, m.doubleValue("f32"));
            assertEquals(-2.0, m.doubleValue("i32"));
            assertTrue(m.booleanValue("bool"));
            assertEquals("Grüße", m.string("string"));
            assertEquals("18446744073709551615", m.describe("u64"));
            assertEquals(-5, m.longValue("i64"));
            assertEquals(0.1, m.doubleValue("f64"));
            assertArrayEquals(new String[] {"a", ""}, m.strings("strings"));
            assertArrayEquals(new int[] {0, 0, 0, 0, 0, 0, 0, 0, -1}, m.ints("shorts"));
            assertArrayEquals(new long[] {0, 0, 0, 0, 0, 0, 0, 0, -1}, m.longs("shorts"));
            assertEquals(-1f, m.floats("shorts")[8]);
            assertEquals(-1.0, m.doubles("shorts")[8]);
            assertEquals(9, m.length("shorts"));
            assertEquals("[0, 0, 0, 0, 0, 0, 0, 0, ... 9 in all]", m.describe("shorts"));
            assertFalse(m.optionalString("absent").isPresent());
            assertEquals(200, m.optionalLong("u8").orElse(0));
            assertEquals(1.5, m.optionalDouble("f32").orElse(0));
            assertEquals(Boolean.TRUE, m.optionalBoolean("bool").orElse(false));
            String prefix = file.path() + ": key ";
            assertMessage(prefix + "'absent': expected a string, given no such key", () -> m.string("absent"));
            assertMessage(prefix + "'u8': expected a string, given uint8", () -> m.optionalString("u8"));
            assertMessage(prefix + "'string': expected an integer, given string", () -> m.longValue("string"));
            assertMessage(
                    prefix + "'strings': expected an array of integers, given array of string",
                    () -> m.ints("strings"));
            assertMessage(
                    prefix + "'u64': expected a value up to 9223372036854775807, given 18446744073709551615",
                    () -> m.longValue("u64"));
            assertMessage(
                    prefix + "'u32': expected a value from -2147483648 to 2147483647, given 4294967294",
                    () -> m.intValue("u32"));
            assertMessage(prefix + "'bool': expected a number, given bool", () -> m.doubleValue("bool"));
            assertMessage(prefix + "'u8': expected an array of bools, given uint8", () -> m.booleans("u8"));
        }
    }

    @Test
    @DisplayName("A closed file says so, and closing twice does nothing")
    void closed() throws Exception {
        Path path = directory.resolve("closed.gguf");
        sample().write(path);
        GgufFile file = GgufFile.open(path);
        GgufTensor tensor = file.tensor("a");
        file.close();
        file.close();
        assertEquals(
                ErrorCode.CLOSED,
                assertThrows(VtException.class, () -> file.tensor("a")).code());
        assertEquals(
                ErrorCode.CLOSED,
                assertThrows(VtException.class, () -> file.metadata().string("name"))
                        .code());
        assertThrows(IllegalStateException.class, () -> tensor.data().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    @DisplayName("Shapes are row-major, data is read-only, a missing tensor is named")
    void tensors() throws Exception {
        Path path = directory.resolve("tensors.gguf");
        sample().write(path);
        try (GgufFile file = GgufFile.open(path)) {
            GgufTensor tensor = file.tensor("a");
            assertArrayEquals(new long[] {2, 4}, tensor.shape());
            assertEquals(4, tensor.dim(1));
            assertEquals(8, tensor.elements());
            assertEquals("a f32[2, 4]", tensor.toString());
            assertTrue(tensor.data().isReadOnly());
            assertEquals(
                    List.of("a", "b", "c"),
                    file.tensors().stream().map(GgufTensor::name).toList());
            assertMessage(path + ": tensor 'z': expected in the file, given no such tensor", () -> file.tensor("z"));
        }
    }

    /** Three tensors of 32, 32 and 3 bytes, each in 32 bytes of its own. */
    private static GgufWriter sample() {
        return new GgufWriter()
                .string("name", "sample")
                .strings("words", "one", "two")
                .bool("flag", true)
                .tensor("a", DType.F32, new long[] {2, 4}, out -> out.write(new byte[32]))
                .tensor("b", DType.I64, new long[] {4}, out -> out.write(new byte[32]))
                .tensor("c", DType.I8, new long[] {3}, out -> out.write(new byte[3]));
    }

    private static void cut(Path file, long length) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.setLength(length);
        }
    }

    private void assertRefused(CraftedFile file, String part) throws IOException {
        String message = refusal(file.write(directory));
        assertTrue(message.contains(part), message);
    }

    /** Opens a file that must be refused and gives the message, which must start with the file's name. */
    private static String refusal(Path file) {
        VtException e =
                assertThrows(VtException.class, () -> GgufFile.open(file).close());
        assertEquals(ErrorCode.FORMAT, e.code());
        assertTrue(e.getMessage().startsWith(file + ": "), e.getMessage());
        return e.getMessage();
    }

    private static void assertMessage(String message, Executable call) {
        assertEquals(message, assertThrows(VtException.class, call).getMessage());
    }
}
