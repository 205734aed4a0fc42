/** Matrix products by cuBLASLt. */
@NullMarked
package dev.vt.provider.cublaslt.internal;

import org.jspecify.annotations.NullMarked;
