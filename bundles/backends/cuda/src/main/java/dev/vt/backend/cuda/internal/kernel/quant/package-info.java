/** Products with weights in encodings of few bits. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.quant;

import org.jspecify.annotations.NullMarked;
