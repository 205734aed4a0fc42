/** Ops, their dispatch and what can be asked about the choice of a kernel. Only the registry implements these types. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.api.op;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
