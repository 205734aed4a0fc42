/** The program that the tests of the plain module path and class path run. */
@NullMarked
package dev.vt.itests.jpms;

import org.jspecify.annotations.NullMarked;
