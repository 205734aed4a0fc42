/** The calls of every op of the table, one class for each family. */
@NullMarked
package dev.vt.conformance.catalogue;

import org.jspecify.annotations.NullMarked;
