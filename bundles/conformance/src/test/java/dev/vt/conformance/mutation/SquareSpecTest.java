package dev.vt.conformance.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.op.Outcome;
import dev.vt.backend.cpu.CpuBackend;
import dev.vt.conformance.Conformance;
import dev.vt.conformance.OpResult;
import dev.vt.conformance.Subject;
import dev.vt.conformance.example.SquareSpec;
import dev.vt.conformance.spec.Level;
import dev.vt.ops.kernel.Unary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the page about the kit shows works. */
class SquareSpecTest {
    private static final String FILE = "bundles/conformance/src/test/java/dev/vt/conformance/example/SquareSpec.java";

    @Test
    @DisplayName("an op that is not of the table is described and tested like the others")
    void ownOp() {
        OpResult right = run(new Plain.Map() {
            @Override
            float of(float x) {
                return x * x;
            }
        });
        assertEquals(List.of(), right.failures());
        assertTrue(right.served() > 0, right.toString());
        assertTrue(run(new Plain.Map()).failed() > 0);
        assertTrue(run((queue, out, x) -> Outcome.SERVED).failed() > 0);
    }

    @Test
    @DisplayName("the page shows the description as it stands")
    void shown() throws IOException {
        Path page = MutationTable.page();
        String source = Files.readString(page.getParent().getParent().resolve(FILE));
        String shown = source.substring(source.indexOf("/** An op that"));
        assertTrue(Files.readString(page).contains(shown), () -> page + " has to show:\n" + shown);
    }

    private static OpResult run(Unary kernel) {
        try (CpuBackend cpu = new CpuBackend();
                Subject subject = Subject.of(Mutant.alone(SquareSpec.SQUARE, kernel), SquareSpec.SQUARE)
                        .orElseThrow()) {
            return new Conformance(Level.FULL).run(SquareSpec.spec(), subject, cpu);
        }
    }
}
