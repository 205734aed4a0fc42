/** What can be asked about deployments. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.deploy;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
