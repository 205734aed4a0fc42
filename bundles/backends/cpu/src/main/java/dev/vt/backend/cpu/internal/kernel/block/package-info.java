/** The block encodings of the GGUF format, one class each. */
@NullMarked
package dev.vt.backend.cpu.internal.kernel.block;

import org.jspecify.annotations.NullMarked;
