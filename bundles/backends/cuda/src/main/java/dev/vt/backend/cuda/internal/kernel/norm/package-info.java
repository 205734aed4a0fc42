/** Normalisations. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.norm;

import org.jspecify.annotations.NullMarked;
