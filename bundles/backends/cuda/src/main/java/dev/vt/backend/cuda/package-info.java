/** What kernels for NVIDIA GPUs are written against: the queue with its stream, the feature bits, finding libraries. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.backend.cuda;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
