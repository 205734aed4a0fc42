/** The Java interfaces of kernels. Providers implement them; the entry points have validated every argument before. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.ops.kernel;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
