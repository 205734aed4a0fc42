/** The ops of the runtime: their table and the entry points that callers use. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.ops;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
