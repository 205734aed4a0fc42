package dev.vt.conformance.catalogue;

import dev.vt.conformance.spec.OpSpec;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** All descriptions, each family from a class of its own. Immutable. */
public final class Catalogue {
    private static final List<OpSpec> ALL = Stream.of(
                    Casts.all(),
                    Choices.all(),
                    Convolutions.all(),
                    Cuts.all(),
                    DeltaRules.all(),
                    Drafts.all(),
                    Elementwise.all(),
                    ExpertRouting.all(),
                    Experts.all(),
                    GatedNorms.all(),
                    Gating.all(),
                    Logits.all(),
                    Moves.all(),
                    Norms.all(),
                    PagedAttentions.all(),
                    Probes.all(),
                    Products.all(),
                    Ropes.all(),
                    SingleLogits.all(),
                    States.all(),
                    DenseAttention.all(),
                    GatedAttention.all(),
                    LatentAttention.all(),
                    LatentCache.all(),
                    BatchedProducts.all(),
                    Quantisations.all(),
                    QuantProducts.all(),
                    FusedOps.all(),
                    ExpertsNvfp4.all(),
                    MarlinExperts.all())
            .flatMap(List::stream)
            .sorted(Comparator.comparingInt(s -> s.op().id()))
            .toList();

    private Catalogue() {}

    /** In the order of the ops' ids. */
    public static List<OpSpec> all() {
        return ALL;
    }
}
