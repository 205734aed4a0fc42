/** The distribution's main program: arguments, private folders, the log, and the life of the framework. */
@NullMarked
package dev.vt.launcher;

import org.jspecify.annotations.NullMarked;
