/** Several ops as one: recipes, and the choice between a kernel of their own, the interpreter and the single ops. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.ops.fusion;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
