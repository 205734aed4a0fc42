/** Rotary embeddings. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.rope;

import org.jspecify.annotations.NullMarked;
