/** Runs JUnit Jupiter tests inside an OSGi framework that Pax Exam starts. */
@NullMarked
package dev.vt.pax.jupiter;

import org.jspecify.annotations.NullMarked;
