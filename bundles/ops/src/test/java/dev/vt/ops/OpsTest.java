package dev.vt.ops;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.DeviceType;
import dev.vt.api.op.Op;
import dev.vt.api.tensor.DType;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.ContractCases.Case;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("S12 entry points validate before any kernel sees the call")
class OpsTest {
    private final RecordingDispatcher dispatcher = new RecordingDispatcher();
    private final Ops ops = new Ops(dispatcher);

    static Stream<Case> bad() {
        return Contracts.all().stream().flatMap(c -> ContractCases.bad(c).stream());
    }

    static Stream<Case> good() {
        return Contracts.all().stream().flatMap(c -> ContractCases.good(c).stream());
    }

    @ParameterizedTest(name = "S12 {0}")
    @MethodSource("bad")
    @DisplayName("S12 an argument that breaks its contract is refused in one sentence and no kernel is called")
    void refuses(Case c) {
        VtException e = assertThrows(VtException.class, () -> c.contract().entry.call(ops, c.queue(), c.args()));
        String message = e.getMessage();
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), message);
        assertTrue(message.matches(c.contract().op + ": argument [\\w() ]+: expected .+, given .+"), message);
        assertTrue(
                Pattern.compile("\\b" + c.argument() + "\\b").matcher(message).find(), message);
        assertFalse(message.contains("\n") || message.contains(". "), message);
        assertEquals(List.of(), dispatcher.calls());
    }

    @ParameterizedTest(name = "S12 {0}")
    @MethodSource("good")
    @DisplayName("S12 a call that is right reaches the dispatcher once, with its arguments in the kernel's order")
    void passes(Case c) {
        c.contract().entry.call(ops, c.queue(), c.args());
        assertEquals(1, dispatcher.calls().size());
        RecordingDispatcher.Call call = dispatcher.calls().getFirst();
        assertSame(c.contract().op, call.op());
        assertSame(c.queue(), call.queue());
        assertSame(c.queue(), call.arguments().getFirst());
        assertEquals(
                c.args().inOrder(), call.arguments().subList(1, call.arguments().size()));
    }

    @Test
    @DisplayName("S12 every op of the table has a contract")
    void complete() {
        Set<Op<?>> covered = new HashSet<>();
        Contracts.all().forEach(c -> covered.add(c.op));
        assertEquals(new HashSet<>(OpTable.all()), covered);
    }

    @Test
    @DisplayName("S12 matmul_bt with a block-encoded b is matmul_bt_quant")
    void routesEncodedWeights() {
        Tensor out = tensor(DType.F32, 3, 5);
        Tensor a = tensor(DType.F32, 3, 64);
        Tensor b = tensor(DType.Q8_0, 5, 64);
        ops.matmulBt(ContractCases.QUEUE, out, a, b);
        assertSame(OpTable.MATMUL_BT_QUANT, dispatcher.calls().getFirst().op());
        VtException e = assertThrows(VtException.class, () -> ops.matmulBtQuant(ContractCases.QUEUE, out, a, a));
        assertTrue(e.getMessage().startsWith("matmul_bt_quant: "), e.getMessage());
    }

    @Test
    @DisplayName("S12 an equal device of another instance is the same device")
    void equalDevice() {
        Device again = Device.of(new DeviceType("cpu", 0), 0);
        Tensor x = ContractCases.tensor(again, DType.F32, 2, 3);
        assertDoesNotThrow(() -> ops.relu(ContractCases.QUEUE, tensor(DType.F32, 2, 3), x));
    }

    @Test
    @DisplayName("S12 sizes of zero are legal")
    void zeroSizes() {
        var q = ContractCases.QUEUE;
        ops.matmul(q, tensor(DType.F32, 0, 5), tensor(DType.F32, 0, 4), tensor(DType.F32, 4, 5));
        ops.matmul(q, tensor(DType.F32, 3, 5), tensor(DType.F32, 3, 0), tensor(DType.F32, 0, 5));
        ops.matmulBt(q, tensor(DType.F32, 3, 0), tensor(DType.F32, 3, 4), tensor(DType.F32, 0, 4));
        ops.rmsNorm(q, tensor(DType.F32, 0, 4), tensor(DType.F32, 0, 4), tensor(DType.F32, 4), null, 1e-6f, false);
        ops.greedyArgmax(q, tensor(DType.I64, 0), tensor(DType.F32, 0, 0));
        assertEquals(5, dispatcher.calls().size());
    }

    @Test
    @DisplayName("S12 one of nothing can't be picked")
    void emptyRows() {
        var q = ContractCases.QUEUE;
        Tensor ids = tensor(DType.I64, 2);
        VtException e = assertThrows(VtException.class, () -> ops.greedyArgmax(q, ids, tensor(DType.F32, 2, 0)));
        assertEquals(
                "greedy_argmax: argument logits: expected dimension 1 to be 1 or more, given f32[2,0]", e.getMessage());
        assertThrows(VtException.class, () -> ops.randomSample(q, ids, tensor(DType.F32, 2, 0), tensor(DType.I64, 2)));
    }

    @Test
    @DisplayName("S12 heads of q and k that lie side by side in one buffer are apart, overlapping ones are not")
    void fusedBuffer() {
        // Rows of 4 query heads and 2 key heads of 6 elements, in rows of 40.
        HostMemory memory = new HostMemory(ContractCases.CPU, 4 * 40 * 4);
        Tensor q = Tensor.strided(memory, 0, DType.F32, new long[] {3, 4, 6}, new long[] {40, 6, 1});
        Tensor cosSin = tensor(DType.F32, 9, 6);
        Tensor positions = tensor(DType.I32, 3);
        ops.ropeFromCache(ContractCases.QUEUE, q, keys(memory, 24), cosSin, positions, false);
        assertEquals(1, dispatcher.calls().size());
        // One element too early; across the end of the row.
        for (long wrong : new long[] {23, 29}) {
            assertThrows(
                    VtException.class,
                    () -> ops.ropeFromCache(ContractCases.QUEUE, q, keys(memory, wrong), cosSin, positions, false));
        }
    }

    private static Tensor keys(HostMemory memory, long column) {
        return Tensor.strided(memory, 4 * column, DType.F32, new long[] {3, 2, 6}, new long[] {40, 6, 1});
    }

    @Test
    @DisplayName("S12 a bias row can be added to any rank")
    void addsRow() {
        Tensor out = tensor(DType.F32, 2, 3, 4);
        ops.add(ContractCases.QUEUE, out, out, tensor(DType.BF16, 4));
        assertEquals(1, dispatcher.calls().size());
    }

    @Test
    @DisplayName("S12 widths that add up to a width only when they wrap around are refused")
    void wrappedWidths() {
        Tensor q = tensor(DType.F32, 0, Long.MAX_VALUE);
        Tensor keys = tensor(DType.F32, 0, Long.MAX_VALUE);
        // Twice 2^63 - 1 is -2 in 64 bits.
        Tensor values = tensor(DType.F32, 0, 7);
        Tensor x = tensor(DType.F32, 0, 5);
        VtException e =
                assertThrows(VtException.class, () -> ops.gdnConvSplit(ContractCases.QUEUE, q, keys, values, x));
        assertTrue(e.getMessage().startsWith("gdn_conv_split: argument x: expected dimension 1"), e.getMessage());
    }

    @Test
    @DisplayName("S12 value heads that no key head serves evenly are refused, and mixed rows that are no whole heads")
    void headGroups() {
        var q = ContractCases.QUEUE;
        Tensor out = tensor(DType.F32, 7, 3, 5);
        Tensor keys = tensor(DType.F32, 7, 2, 6);
        Tensor perHead = tensor(DType.F32, 7, 3);
        Tensor v = tensor(DType.F32, 7, 3, 5);
        Tensor state = tensor(DType.F32, 7, 3, 5, 6);
        VtException e = assertThrows(
                VtException.class,
                () -> ops.gdnDecode(q, out, keys, tensor(DType.F32, 7, 2, 6), v, perHead, perHead, state, null, 1));
        assertEquals(
                "gdn_decode: argument v: expected dimension 1 to be a multiple of 2 (dimension 1 of q), given"
                        + " f32[7,3,5]",
                e.getMessage());
        Tensor heads = tensor(DType.F32, 3);
        Tensor slots = tensor(DType.I32, 7);
        for (long width : new long[] {15, 15 + 12 + 6, 15 + 24, 14}) {
            Tensor mixed = tensor(DType.F32, 7, width);
            e = assertThrows(
                    VtException.class,
                    () -> ops.gdnPackedDecode(q, out, mixed, perHead, perHead, heads, heads, state, slots, 1, 1e-6f));
            assertTrue(e.getMessage().startsWith("gdn_packed_decode: argument "), e.getMessage());
        }
        ops.gdnPackedDecode(
                q, out, tensor(DType.F32, 7, 15 + 12), perHead, perHead, heads, heads, state, slots, 1, 1e-6f);
        ops.gdnPackedDecode(
                q,
                out,
                tensor(DType.F32, 7, 15),
                perHead,
                perHead,
                heads,
                heads,
                tensor(DType.F32, 9, 3, 5, 0),
                slots,
                1,
                1e-6f);
        assertEquals(2, dispatcher.calls().size());
    }

    private static Tensor tensor(DType dtype, long... dims) {
        return ContractCases.tensor(ContractCases.CPU, dtype, dims);
    }
}
