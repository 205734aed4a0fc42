/** Ops that move rows. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.move;

import org.jspecify.annotations.NullMarked;
