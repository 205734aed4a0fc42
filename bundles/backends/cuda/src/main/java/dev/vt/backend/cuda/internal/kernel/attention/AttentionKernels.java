package dev.vt.backend.cuda.internal.kernel.attention;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels of attention. */
public final class AttentionKernels {
    private AttentionKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule tiles = Sources.of("attention_tile.cu");
        KernelModule gates = Sources.of("gate.cu");
        PartsMerge merge = new PartsMerge();
        kernels.put(OpTable.ATTENTION, new AttentionKernel(tiles))
                .put(OpTable.MLA_DECODE_ATTENTION, new MlaDecodeAttentionKernel(merge))
                .put(OpTable.MLA_PREFILL_ATTENTION, new MlaPrefillAttentionKernel(tiles))
                .put(OpTable.MERGE_ATTN_STATES, new MergeAttnStatesKernel(gates))
                .put(OpTable.PAGED_ATTENTION, new PagedAttentionKernel(merge))
                .put(OpTable.ATTN_GATE_SPLIT, new AttnGateSplitKernel(gates))
                .put(OpTable.SIGMOID_GATE_BF16, new SigmoidGateKernel(gates))
                .put(OpTable.ATTN_QK_NORM_ROPE_GATE, new AttnQkNormRopeGateKernel(Sources.of("gated_heads.cu")))
                .put(OpTable.CONCAT_MLA_NOPE_ROPE, new ConcatMlaNopeRopeKernel(gates));
    }
}
