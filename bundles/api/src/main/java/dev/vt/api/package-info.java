/** The one exception family of the runtime. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.api;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
