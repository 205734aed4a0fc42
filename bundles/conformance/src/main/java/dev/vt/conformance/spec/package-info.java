/** How the calls of an op are described: data, expected values, bounds. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.conformance.spec;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
