package dev.vt.conformance.mutation;

import static dev.vt.conformance.mutation.Mutant.quick;

import dev.vt.api.spi.KernelSet;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.MropeSections;
import dev.vt.ops.kernel.RopeNeox;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** A right rotation whose three axes are mixed up. */
final class RopeMutants {
    private RopeMutants() {}

    static List<Mutant> all(KernelSet right) {
        RopeNeox rope = Objects.requireNonNull(right.get(OpTable.ROPE_NEOX));
        return List.of(
                quick(
                        "a token that has three positions is rotated by that in time alone",
                        OpTable.ROPE_NEOX,
                        (q, x, k, positions, f, sections) -> sections == null
                                ? rope.run(q, x, k, positions, f, null)
                                : rope.run(q, x, k, positions.rows(0, 1).reshape(x.dim(0)), f, null),
                        "expected"),
                quick(
                        "height has as many pairs as width, and width as many as height",
                        OpTable.ROPE_NEOX,
                        changed(rope, s -> new MropeSections(s.temporal(), s.width(), s.height())),
                        "expected"),
                quick(
                        "the first pair of the height is rotated by the position in time",
                        OpTable.ROPE_NEOX,
                        changed(
                                rope,
                                s -> s.height() == 0
                                        ? s
                                        : new MropeSections(s.temporal() + 1, s.height() - 1, s.width())),
                        "expected"),
                quick(
                        "time and width have changed places",
                        OpTable.ROPE_NEOX,
                        changed(rope, s -> new MropeSections(s.width(), s.height(), s.temporal())),
                        "expected"));
    }

    private static RopeNeox changed(RopeNeox rope, UnaryOperator<MropeSections> change) {
        return (q, x, k, positions, f, sections) ->
                rope.run(q, x, k, positions, f, sections == null ? null : change.apply(sections));
    }
}
