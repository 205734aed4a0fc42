/** What kernels for the CPU are written against: the queue, its workers, the feature bits. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.backend.cpu;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
