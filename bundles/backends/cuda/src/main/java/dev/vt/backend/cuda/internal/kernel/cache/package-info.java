/** Ops that move rows from and to paged caches. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.cache;

import org.jspecify.annotations.NullMarked;
