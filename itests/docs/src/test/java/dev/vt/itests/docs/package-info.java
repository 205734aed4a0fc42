/** Checks that the documentation tells the truth about the code. */
@NullMarked
package dev.vt.itests.docs;

import org.jspecify.annotations.NullMarked;
