package dev.vt.conformance.mutation;

import static dev.vt.conformance.mutation.Mutant.quick;

import dev.vt.api.spi.KernelSet;
import dev.vt.ops.OpTable;
import dev.vt.ops.kernel.MoeCombine;
import dev.vt.ops.kernel.MoeRouterTopK;
import dev.vt.ops.kernel.RmsNormGated;
import dev.vt.ops.kernel.RouterParams;
import java.util.List;
import java.util.Objects;

/** Faults of kernels for mixtures of experts: right kernels that are told something else. */
final class MoeMutants {
    private MoeMutants() {}

    static List<Mutant> all(KernelSet right) {
        MoeRouterTopK router = Objects.requireNonNull(right.get(OpTable.MOE_ROUTER_TOP_K));
        MoeCombine combine = Objects.requireNonNull(right.get(OpTable.MOE_COMBINE));
        RmsNormGated gated = Objects.requireNonNull(right.get(OpTable.RMS_NORM_GATED));
        return List.of(
                changed(
                        "weights are always divided by their sum",
                        router,
                        p -> new RouterParams(p.sigmoid(), true, p.groups(), p.topGroups(), p.scale())),
                changed(
                        "the scale of the weights is left out",
                        router,
                        p -> new RouterParams(p.sigmoid(), p.renormalise(), p.groups(), p.topGroups(), 1)),
                changed(
                        "the score is always a softmax",
                        router,
                        p -> new RouterParams(false, p.renormalise(), p.groups(), p.topGroups(), p.scale())),
                changed(
                        "experts of all groups can be chosen",
                        router,
                        p -> new RouterParams(p.sigmoid(), p.renormalise(), 1, 1, p.scale())),
                quick(
                        "the bias of the choice is left out",
                        OpTable.MOE_ROUTER_TOP_K,
                        (q, weights, indices, logits, bias, p) -> router.run(q, weights, indices, logits, null, p),
                        "expected"),
                quick(
                        "the shared expert is left out",
                        OpTable.MOE_COMBINE,
                        (q, out, experts, weights, shared) -> combine.run(q, out, experts, weights, null),
                        "expected"),
                quick(
                        "a gate is always silu",
                        OpTable.RMS_NORM_GATED,
                        (q, out, x, gate, w, eps, sigmoid) -> gated.run(q, out, x, gate, w, eps, false),
                        "expected"));
    }

    private interface Change {
        RouterParams of(RouterParams params);
    }

    private static Mutant changed(String fault, MoeRouterTopK router, Change change) {
        return quick(
                fault,
                OpTable.MOE_ROUTER_TOP_K,
                (q, weights, indices, logits, bias, p) -> router.run(q, weights, indices, logits, bias, change.of(p)),
                "expected");
    }
}
