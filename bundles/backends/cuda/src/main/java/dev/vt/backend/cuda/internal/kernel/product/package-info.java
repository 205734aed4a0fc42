/** Products of matrices. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.product;

import org.jspecify.annotations.NullMarked;
