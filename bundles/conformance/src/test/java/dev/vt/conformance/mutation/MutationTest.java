package dev.vt.conformance.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.device.Backend;
import dev.vt.api.op.Op;
import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.backend.cpu.internal.CpuNativeProvider;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.spec.Level;
import dev.vt.ops.OpTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit finds planted faults; what it says about each stands in a page. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MutationTest {
    private static final Backend CPU = new CpuBackend();
    private static final String MODE = System.getProperty("vt.mutations", "check");

    /** By fault: two tests look at each. */
    private final Map<String, OpResult> results = new HashMap<>();

    static List<Mutant> mutants() {
        KernelSet right = new CpuNativeProvider().kernels();
        return Stream.of(
                        Mutants.all(
                                Objects.requireNonNull(right.get(OpTable.PAGED_ATTENTION)),
                                Objects.requireNonNull(right.get(OpTable.RMS_NORM)),
                                Objects.requireNonNull(right.get(OpTable.ROPE_FROM_CACHE))),
                        MoeMutants.all(right),
                        RopeMutants.all(right),
                        QuantMutants.all(right))
                .flatMap(List::stream)
                .toList();
    }

    static Stream<Arguments> plain() {
        return Stream.of(
                Arguments.of(OpTable.MATMUL_BT, Mutant.alone(OpTable.MATMUL_BT, new Plain.Product())),
                Arguments.of(OpTable.RELU, Mutant.alone(OpTable.RELU, new Plain.Map())),
                Arguments.of(OpTable.CAST_BF16, Mutant.alone(OpTable.CAST_BF16, new Plain.Cast())),
                Arguments.of(OpTable.SILU_AND_MUL, Mutant.alone(OpTable.SILU_AND_MUL, new Plain.Gated())),
                Arguments.of(OpTable.GREEDY_ARGMAX, Mutant.alone(OpTable.GREEDY_ARGMAX, new Plain.Argmax())),
                Arguments.of(OpTable.EMBEDDING, Mutant.alone(OpTable.EMBEDDING, new Plain.Gather())),
                Arguments.of(
                        OpTable.RESHAPE_AND_CACHE, Mutant.alone(OpTable.RESHAPE_AND_CACHE, new Plain.CacheWrite())),
                Arguments.of(OpTable.LAYER_NORM, Mutant.alone(OpTable.LAYER_NORM, new Plain.Layer())),
                Arguments.of(OpTable.COMPUTE_PROBS, Mutant.alone(OpTable.COMPUTE_PROBS, new Plain.Softmax())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("plain")
    @DisplayName("the kernels that the faults are planted in are right")
    void right(Op<?> op, KernelSet kernels) {
        assertEquals(List.of(), run(op, kernels, Level.FULL).failures());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    @DisplayName("a planted fault is found, at the level that it is said to be, and told as what it is")
    void found(Mutant mutant) {
        OpResult result = result(mutant);
        assertTrue(result.failed() > 0, () -> "survived: " + mutant);
        String said = result.failures().getFirst().error();
        assertTrue(said.contains(mutant.says()), () -> mutant + " is told as '" + said + "'");
    }

    @Test
    @DisplayName("the page's table is what the kit says today")
    void table() throws IOException {
        Path page = MutationTable.page();
        String rows = MutationTable.rows(mutants().stream()
                .map(m -> new MutationTable.Row(m, result(m).failures().getFirst()))
                .toList());
        if (MODE.equals("write")) {
            Files.writeString(page, MutationTable.replaced(Files.readString(page), rows));
        }
        assertEquals(
                rows,
                MutationTable.told(Files.readString(page)),
                "write the table anew: -Dtest=MutationTest -Dvt.mutations=write");
    }

    private OpResult result(Mutant m) {
        return results.computeIfAbsent(m.fault(), f -> run(m.op(), m.kernels(), m.level()));
    }

    private static OpResult run(Op<?> op, KernelSet kernels, Level level) {
        try (Subject subject = Subject.of(kernels, op).orElseThrow()) {
            return new Conformance(level).run(Conformance.spec(op).orElseThrow(), subject, CPU);
        }
    }
}
