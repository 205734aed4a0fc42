/** The kernels of the CUDA backend. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel;

import org.jspecify.annotations.NullMarked;
