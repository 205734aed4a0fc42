/** The backend of CUDA devices. */
@NullMarked
package dev.vt.backend.cuda.internal;

import org.jspecify.annotations.NullMarked;
