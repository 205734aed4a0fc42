/** The CPU backend and its kernels. */
@NullMarked
package dev.vt.backend.cpu.internal;

import org.jspecify.annotations.NullMarked;
