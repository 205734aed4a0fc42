/** Checks over what the build made. */
@NullMarked
package dev.vt.itests.quality;

import org.jspecify.annotations.NullMarked;
