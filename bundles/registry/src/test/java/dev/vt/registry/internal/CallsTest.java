package dev.vt.registry.internal;

import static dev.vt.registry.internal.Doubles.CPU;
import static dev.vt.registry.internal.Doubles.cpuRegistry;
import static dev.vt.registry.internal.Doubles.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.op.CallCounts;
import dev.vt.api.op.ExecutionContext;
import dev.vt.api.op.NoKernelException;
import dev.vt.api.op.Op;
import dev.vt.api.op.OpLease;
import dev.vt.api.op.Policy;
import dev.vt.api.op.Selection;
import dev.vt.api.tensor.Tensor;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.Unary;
import dev.vt.registry.internal.Doubles.FakeBackend;
import dev.vt.registry.internal.Doubles.FakeProvider;
import dev.vt.registry.internal.Doubles.FakeQueue;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls, declines, statistics, policy. */
class CallsTest {
    private static final Op<Unary> RELU = OpTable.RELU;

    private final FakeQueue queue = new FakeQueue(CPU);
    private final Tensor t = new FakeBackend(CPU).floats(2, 3);

    private void relu(Registry r) {
        r.ops().call(RELU, queue, k -> k.run(queue, t, t));
    }

    @Test
    @DisplayName("S13 a decline goes to the next eligible provider; disabled ones are skipped")
    void chain() {
        Registry r = cpuRegistry();
        FakeProvider top = new FakeProvider("top", 9).declines("no");
        FakeProvider off = new FakeProvider("off", 8);
        FakeProvider low = new FakeProvider("low", 1);
        r.add(top, origin("top"));
        r.add(off, origin("off"));
        r.add(low, origin("low"));
        r.ops().disable("off");
        relu(r);
        assertEquals(1, top.calls.get());
        assertEquals(0, off.calls.get());
        assertEquals(1, low.calls.get());
    }

    @Test
    @DisplayName("S13 O3.14 a kernel that throws is an error to the caller, never a fallback")
    void throwing() {
        Registry r = cpuRegistry();
        FakeProvider top = new FakeProvider("top", 9);
        top.inside = () -> {
            throw new IllegalStateException("half written");
        };
        FakeProvider low = new FakeProvider("low", 1);
        r.add(top, origin("top"));
        r.add(low, origin("low"));
        VtException e = assertThrows(VtException.class, () -> relu(r));
        assertEquals(ErrorCode.KERNEL_FAILED, e.code());
        assertTrue(e.getMessage().contains("op relu on cpu:0: the kernel of provider top threw"), e.getMessage());
        assertEquals(0, low.calls.get());
        top.inside = () -> {
            throw new VtException(ErrorCode.OUT_OF_MEMORY, "no memory");
        };
        assertEquals(
                ErrorCode.OUT_OF_MEMORY,
                assertThrows(VtException.class, () -> relu(r)).code());
        top.inside = () -> {};
        relu(r);
    }

    @Test
    @DisplayName("S14 21,500 declines are 21,500 counts and no resolution, per provider and reason")
    void declinesCounted() {
        Registry r = cpuRegistry();
        FakeProvider top = new FakeProvider("top", 9).declines("K is not a multiple of 16");
        FakeProvider low = new FakeProvider("low", 1);
        r.add(top, origin("top"));
        r.add(low, origin("low"));
        long epoch = r.ops().epoch();
        for (int i = 0; i < 21_500; i++) {
            relu(r);
        }
        assertEquals(epoch, r.ops().epoch());
        assertEquals(1, top.asked.get());
        Selection.Link link = r.ops().explain(RELU, CPU).chain().get(0);
        assertEquals(Map.of("K is not a multiple of 16", 21_500L), link.declines());
        assertEquals(21_500, r.ops().stats(RELU, CPU).declines());
        assertEquals(0, r.ops().stats(RELU, CPU).selections(), "call counting is off");
        assertEquals(21_500, low.calls.get());
    }

    @Test
    @DisplayName("S14 two reasons are told apart; all declined is a NoKernelException with the reasons, and counts a"
            + " fallback")
    void reasons() {
        Registry r = cpuRegistry();
        FakeProvider p = new FakeProvider("p", 1).declines("first");
        r.add(p, origin("p"));
        String said = assertThrows(NoKernelException.class, () -> relu(r)).getMessage();
        assertTrue(said.contains("f32[2,3]") && said.contains("p (declined: first)"), said);
        p.declines("second");
        assertThrows(NoKernelException.class, () -> relu(r));
        assertThrows(NoKernelException.class, () -> relu(r));
        assertEquals(
                Map.of("first", 1L, "second", 2L),
                r.ops().explain(RELU, CPU).chain().get(0).declines());
        assertEquals(3, r.ops().stats(RELU, CPU).fallbacks());
    }

    @Test
    @DisplayName("S14 declines made anew on each call are still counted by their reason")
    void freshDeclines() {
        Registry r = cpuRegistry();
        FakeProvider p = new FakeProvider("p", 1);
        p.inside = () -> p.declines("fresh");
        r.add(p, origin("p"));
        r.add(new FakeProvider("q", 0), origin("q"));
        for (int i = 0; i < 100; i++) {
            relu(r);
        }
        assertEquals(
                Map.of("fresh", 100L), r.ops().explain(RELU, CPU).chain().get(0).declines());
    }

    @Test
    @DisplayName("S15 the kernel strictly below a named provider, counted or not")
    void fallback() {
        Registry r = cpuRegistry();
        for (String n : List.of("c", "b", "a")) {
            r.add(new FakeProvider(n, n.charAt(0)), origin(n));
        }
        r.ops().disable("c");
        try (OpLease<Unary> below = r.ops().fallback(RELU, CPU, "c")) {
            assertEquals("b", below.provider());
        }
        try (OpLease<Unary> below = r.ops().below(RELU, CPU, "b")) {
            assertEquals("a", below.provider());
        }
        assertEquals(1, r.ops().stats(RELU, CPU).declines());
        VtException unknown = assertThrows(VtException.class, () -> r.ops().fallback(RELU, CPU, "nobody"));
        assertEquals(ErrorCode.NOT_FOUND, unknown.code());
        assertTrue(unknown.getMessage().contains("there are c, b, a"), unknown.getMessage());
        assertEquals(1, r.ops().stats(RELU, CPU).declines(), "an unknown name does not count");
        assertThrows(NoKernelException.class, () -> r.ops().fallback(RELU, CPU, "a"));
        assertEquals(2, r.ops().stats(RELU, CPU).declines());
        assertEquals(1, r.ops().stats(RELU, CPU).fallbacks());
        r.ops().noteDecline(RELU, CPU, "b", "by hand");
        assertEquals(
                Map.of("by hand", 1L), r.ops().explain(RELU, CPU).chain().get(1).declines());
    }

    @Test
    @DisplayName("S19 selections count executions, only while counting is on; reset zeroes all three counters")
    void stats() {
        Registry r = cpuRegistry();
        r.add(new FakeProvider("top", 9).declines("no"), origin("top"));
        r.add(new FakeProvider("low", 1), origin("low"));
        relu(r);
        assertEquals(0, r.ops().stats(RELU, CPU).selections());
        r.ops().countCalls(true);
        for (int i = 0; i < 10; i++) {
            relu(r);
        }
        assertEquals(10, r.ops().stats(RELU, CPU).selections());
        assertEquals(11, r.ops().stats(RELU, CPU).declines());
        assertEquals("top", r.ops().stats(RELU, CPU).lastSelected());
        assertEquals(10, r.ops().explain(RELU, CPU).chain().get(1).selections());
        r.ops().resetStats(RELU, CPU);
        assertEquals(0, r.ops().stats(RELU, CPU).selections());
        assertEquals(0, r.ops().stats(RELU, CPU).declines());
        r.ops().countCalls(false);
        relu(r);
        assertEquals(0, r.ops().stats(RELU, CPU).selections());
        assertEquals(1, r.ops().stats(RELU, CPU).declines());
    }

    @Test
    @DisplayName("S19 counts are exact under eight threads, lone and in steps")
    void exact() throws InterruptedException {
        Registry r = cpuRegistry();
        r.add(new FakeProvider("top", 9).declines("no"), origin("top"));
        r.add(new FakeProvider("low", 1), origin("low"));
        r.ops().countCalls(true);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            boolean steps = i % 2 == 0;
            Thread.Builder builder = i % 3 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
            threads[i] = builder.start(() -> {
                FakeQueue own = new FakeQueue(CPU);
                try (ExecutionContext context = r.ops().newContext()) {
                    for (int k = 0; k < 500; k++) {
                        if (steps) {
                            context.begin();
                        }
                        for (int n = 0; n < 10; n++) {
                            context.call(RELU, own, kernel -> kernel.run(own, t, t));
                        }
                        if (steps) {
                            context.end();
                        }
                    }
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(40_000, r.ops().stats(RELU, CPU).selections());
        assertEquals(40_000, r.ops().stats(RELU, CPU).declines());
    }

    @Test
    @DisplayName(
            "S19 counts of a while: by provider, those that have left in it, whatever resets and switches others use")
    void countedWhile() {
        Registry r = cpuRegistry();
        Registry.Handle top = r.add(new FakeProvider("top", 9), origin("top"));
        r.add(new FakeProvider("mid", 5).declines("no"), origin("mid"));
        r.add(new FakeProvider("low", 1), origin("low"));
        relu(r);
        CallCounts outer = r.ops().count(CPU);
        CallCounts inner = r.ops().count(CPU);
        relu(r);
        top.remove();
        relu(r);
        r.ops().resetStats(RELU, CPU);
        inner.close();
        inner.close();
        r.ops().countCalls(false);
        relu(r);
        assertEquals(Map.of("top", 1L, "low", 2L), outer.served());
        assertEquals(2, outer.declines());
        assertEquals(0, outer.referenceHits());
        outer.close();
        relu(r);
        assertEquals(Map.of("top", 1L, "low", 2L), outer.served());
        assertFalse(r.ops().countsCalls());
    }

    @Test
    @DisplayName("S24 strict: a decline is an error that names provider, op, shapes and reason")
    void strict() {
        Registry r = cpuRegistry();
        r.add(new FakeProvider("top", 9).declines("too small"), origin("top"));
        FakeProvider low = new FakeProvider("low", 1);
        r.add(low, origin("low"));
        r.ops().policy(CPU, new Policy(Policy.Fallback.STRICT, Set.of(), Set.of()));
        VtException e = assertThrows(VtException.class, () -> relu(r));
        assertEquals(ErrorCode.DECLINED, e.code());
        for (String part : List.of("relu", "cpu:0", "top", "too small", "f32[2,3]", "fallback=strict")) {
            assertTrue(e.getMessage().contains(part), e.getMessage());
        }
        assertEquals(0, low.calls.get());
        assertEquals(1, r.ops().stats(RELU, CPU).declines());
    }

    @Test
    @DisplayName("S24 O3.2 the walk stays on the permitted list")
    void lists() {
        Registry r = cpuRegistry();
        FakeProvider a = new FakeProvider("a", 9).declines("no");
        FakeProvider b = new FakeProvider("b", 8);
        FakeProvider c = new FakeProvider("c", 7);
        List.of(a, b, c).forEach(p -> r.add(p, origin(p.name)));
        r.ops().policy(CPU, new Policy(Policy.Fallback.ALLOW, Set.of("a", "c"), Set.of()));
        relu(r);
        assertEquals(0, b.calls.get());
        assertEquals(1, c.calls.get());
        Selection.Link link = r.ops().explain(RELU, CPU).chain().get(1);
        assertEquals(Selection.State.NOT_PERMITTED, link.state());
        assertEquals("policy of cpu:0: not on the allow list", link.reason());
        r.ops().policy(CPU, new Policy(Policy.Fallback.ALLOW, Set.of(), Set.of("a")));
        relu(r);
        assertEquals(1, b.calls.get());
    }

    @Test
    @DisplayName("S21 one line for each op and device, and again when the winner changes")
    void announced() {
        Registry r = cpuRegistry();
        assertFalse(r.ops().countsCalls());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Watch watch =
                new Watch(new Settings(Set.of(), true, null), new PrintStream(bytes, true, StandardCharsets.UTF_8));
        r.add(new FakeProvider("low", 1), origin("low"));
        SelectionCore core = new SelectionCore(Settings.none());
        core.add(new FakeBackend(CPU), origin("cpu"));
        core.add(new Doubles.FakeSource(Map.of(), origin("low"), new FakeProvider("low", 1)));
        Route first = core.table().route(RELU, CPU);
        watch.selected(first, core.caps(CPU));
        watch.selected(first, core.caps(CPU));
        core.add(new Doubles.FakeSource(Map.of(), origin("top"), new FakeProvider("top", 7)));
        watch.selected(core.table().route(RELU, CPU), core.caps(CPU));
        assertEquals("""
            [vt op-provider] op=relu device=cpu:0 selected=low priority=1 registered=1 caps=9.0/valid
            [vt op-provider] op=relu device=cpu:0 selected=top priority=7 registered=2 caps=9.0/valid
            """, bytes.toString(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("S22 the trace has a JSON line for each execution and decline, with shapes and dtypes")
    void traced(@TempDir Path dir) throws Exception {
        Path file = dir.resolve("trace.jsonl");
        try (Registry r = new Registry(new Settings(Set.of(), false, file.toString()))) {
            r.add(new FakeBackend(CPU), origin("cpu"));
            r.add(new FakeProvider("top", 9).declines("says \"no\""), origin("top"));
            r.add(new FakeProvider("low", 1), origin("low"));
            relu(r);
        }
        assertEquals(
                List.of(
                        "{\"seq\":0,\"op\":\"relu\",\"device\":\"cpu:0\",\"provider\":\"top\",\"outcome\":\"declined\",\"reason\":\"says"
                            + " \\\"no\\\"\",\"shapes\":[[2,3],[2,3]],\"dtypes\":[\"f32\",\"f32\"]}",
                        "{\"seq\":1,\"op\":\"relu\",\"device\":\"cpu:0\",\"provider\":\"low\",\"outcome\":\"served\","
                                + "\"shapes\":[[2,3],[2,3]],\"dtypes\":[\"f32\",\"f32\"]}"),
                Files.readAllLines(file));
    }

    @Test
    @DisplayName("S22 a trace file that can't be written is an error that names it")
    void badTrace(@TempDir Path dir) {
        VtException e = assertThrows(
                VtException.class,
                () -> new Registry(
                        new Settings(Set.of(), false, dir.resolve("no/such").toString())));
        assertTrue(e.getMessage().contains("VT_OP_PROVIDER_TRACE"), e.getMessage());
    }

    @Test
    @DisplayName("S17 while a queue captures, the owner of each served kernel is noted")
    void owners() {
        Registry r = cpuRegistry();
        r.add(new FakeProvider("top", 9).declines("no"), origin("top"));
        r.add(new FakeProvider("low", 1), origin("low"));
        queue.capturing = true;
        relu(r);
        assertEquals("low", queue.owners.get(0).name());
        assertEquals(1, queue.owners.size());
    }

    @Test
    @DisplayName("a step sees one selection; a call of another thread in it is refused; end gives the pin back")
    void steps() throws InterruptedException {
        Registry r = cpuRegistry();
        FakeProvider a = new FakeProvider("a", 1);
        r.add(a, origin("a"));
        FakeProvider b = new FakeProvider("b", 2);
        try (ExecutionContext context = r.ops().newContext()) {
            context.begin();
            assertTrue(context.active());
            assertThrows(VtException.class, context::begin);
            r.add(b, origin("b"));
            context.call(RELU, queue, k -> k.run(queue, t, t));
            assertEquals(1, a.calls.get());
            Throwable[] seen = new Throwable[1];
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    context.call(RELU, queue, k -> k.run(queue, t, t));
                } catch (VtException e) {
                    seen[0] = e;
                }
            });
            other.join();
            assertTrue(seen[0].getMessage().contains("belongs to thread"), String.valueOf(seen[0]));
            context.end();
            assertThrows(VtException.class, context::end);
            context.call(RELU, queue, k -> k.run(queue, t, t));
            assertEquals(1, b.calls.get());
        }
    }

    @Test
    @DisplayName("an op of another identity but the same id finds no kernel rather than the wrong one")
    void foreignOp() {
        Registry r = cpuRegistry();
        r.add(new FakeProvider("a", 1), origin("a"));
        Op<Unary> foreign = Op.of(RELU.id(), "other", Unary.class);
        assertThrows(NoKernelException.class, () -> r.ops().call(foreign, queue, k -> k.run(queue, t, t)));
        assertSame(RELU, r.ops().ops().get(0));
    }
}
