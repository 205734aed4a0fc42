/** Ops whose steps or reports are data: chains of steps, and the op that adapters are checked with. */
@NullMarked
package dev.vt.backend.cuda.internal.kernel.program;

import org.jspecify.annotations.NullMarked;
