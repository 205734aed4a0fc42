/** The CUDA driver: whether it is there, and its calls with their codes checked. */
@NullMarked
package dev.vt.backend.cuda.internal.driver;

import org.jspecify.annotations.NullMarked;
