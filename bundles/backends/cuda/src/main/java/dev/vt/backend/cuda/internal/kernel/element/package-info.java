/** Ops on elements. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.element;

import org.jspecify.annotations.NullMarked;
