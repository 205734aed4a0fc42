/** Ops that choose tokens. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.sampling;

import org.jspecify.annotations.NullMarked;
