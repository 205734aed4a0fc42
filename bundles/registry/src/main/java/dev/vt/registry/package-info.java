/** Starts the registry without OSGi. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.registry;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
