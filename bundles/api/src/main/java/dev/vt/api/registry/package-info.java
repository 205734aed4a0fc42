/** The registry of backends. Only the registry bundle implements these types. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.api.registry;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
