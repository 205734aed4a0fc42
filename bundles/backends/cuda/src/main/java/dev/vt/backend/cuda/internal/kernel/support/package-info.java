/** What all kernels share: what they decline, how they cut their work, where their sources lie. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.support;

import org.jspecify.annotations.NullMarked;
