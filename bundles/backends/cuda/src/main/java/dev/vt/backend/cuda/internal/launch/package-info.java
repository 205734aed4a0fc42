/** From the source of a kernel to its launch. */
@NullMarked
package dev.vt.backend.cuda.internal.launch;

import org.jspecify.annotations.NullMarked;
