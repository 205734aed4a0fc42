/** Commands, and how their results are printed. */
@NullMarked
package dev.vt.shell.internal;

import org.jspecify.annotations.NullMarked;
