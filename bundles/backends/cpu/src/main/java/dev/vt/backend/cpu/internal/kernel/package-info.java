/** The CPU's own kernels: plain Java, written to be read and to be right; other providers are measured against them. */
@NullMarked
package dev.vt.backend.cpu.internal.kernel;

import org.jspecify.annotations.NullMarked;
