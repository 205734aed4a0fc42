/** Matrix products with the Vector API. */
@NullMarked
package dev.vt.provider.vector.internal;

import org.jspecify.annotations.NullMarked;
