/** Ops that make codes of e4m3 and e2m1, and place their scales. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.encode;

import org.jspecify.annotations.NullMarked;
