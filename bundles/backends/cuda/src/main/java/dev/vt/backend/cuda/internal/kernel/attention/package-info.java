/** Attention. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.attention;

import org.jspecify.annotations.NullMarked;
