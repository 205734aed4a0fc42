/** Ops of a mixture of experts, but for its products. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.mixture;

import org.jspecify.annotations.NullMarked;
