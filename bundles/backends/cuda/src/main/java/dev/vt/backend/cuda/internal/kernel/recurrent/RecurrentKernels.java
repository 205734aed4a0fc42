package dev.vt.backend.cuda.internal.kernel.recurrent;

import dev.vt.api.spi.KernelSet;
import dev.vt.backend.cuda.internal.kernel.support.Sources;
import dev.vt.backend.cuda.internal.launch.KernelModule;
import dev.vt.ops.OpTable;

/** The list of the kernels of causal convolutions and of the gated delta rule. */
public final class RecurrentKernels {
    private RecurrentKernels() {}

    /** Adds them. */
    public static void put(KernelSet.Builder kernels) {
        KernelModule conv = Sources.of("conv.cu");
        KernelModule gates = Sources.of("gates.cu");
        DeltaRule rule = new DeltaRule(Sources.of("delta.cu"));
        DeltaStates states = new DeltaStates(Sources.of("states.cu"));
        kernels.put(OpTable.CAUSAL_CONV1D_FWD, new CausalConv1dFwdKernel(conv));
        kernels.put(OpTable.CAUSAL_CONV1D_UPDATE, new CausalConv1dUpdateKernel(conv));
        kernels.put(OpTable.GDN_PREFILL, new GdnPrefillKernel(rule));
        kernels.put(OpTable.GDN_DECODE, new GdnDecodeKernel(rule));
        kernels.put(OpTable.GDN_PACKED_DECODE, new GdnPackedDecodeKernel(rule));
        kernels.put(OpTable.GDN_G_BETA, new GdnGBetaKernel(gates));
        kernels.put(OpTable.GDN_POST_CONV, new GdnPostConvKernel(gates));
        kernels.put(OpTable.GDN_STATE_GATHER, states::gather);
        kernels.put(OpTable.GDN_STATE_SCATTER, states::scatter);
    }
}
