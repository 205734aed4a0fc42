/** Runs kernels on awkward calls and says which of them are wrong. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.conformance;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
