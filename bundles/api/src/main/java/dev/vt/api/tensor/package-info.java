/** Element types and tensor views. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.api.tensor;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
