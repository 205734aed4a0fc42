/** Ops whose states go from token to token: causal convolutions and the gated delta rule. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.recurrent;

import org.jspecify.annotations.NullMarked;
